"""Group 11: OpenCL without driver or device, devices that fail, and devices that lie.

Named, a device that cannot be opened is exit 8; not named, or as one of all engines, it falls back to the CPU.  A wrong
result of a group stops the run.  With --strict-device any failure does.  Nothing half is left.  takeovers.py has what
happens without it.
"""
import itertools
import json
import os
import re
import shutil
import socket
import subprocess

from faults.calls import of, some
from faults.harness import KEY, Any, Case, Opens, Same, Skip

WORK = ["--recheck", "1"]
STRICTLY = ["--strict-device"]
ONE = ["--chunk-log2", "13", "--group-log2", "13"]  # a group is one chunk: every byte is computed again
ERRORS = {
    "CreateContext": (-2, -5, -6), "CreateCommandQueue": (-5, -6), "CreateProgramWithSource": (-6,), "BuildProgram": (-3, -11, -5),
    "CreateKernel": (-46, -5), "EnqueueWriteBuffer": (-5, -4), "EnqueueReadBuffer": (-5, -36), "EnqueueNDRangeKernel": (-5, -54, -4),
    "CreateBuffer": (-4, -61), "SetKernelArg": (-5,), "Finish": (-5, -36), "WaitForEvents": (-14,), "EnqueueMapBuffer": (-12,), "EnqueueUnmapMemObject": (-5,),
    "EnqueueFillBuffer": (-5,), "GetDeviceInfo": (-5,),
}
STRICT = ("CreateContext", "CreateCommandQueue", "CreateProgramWithSource", "BuildProgram", "CreateKernel", "EnqueueWriteBuffer",
          "EnqueueReadBuffer", "EnqueueNDRangeKernel", "WaitForEvents")
WRONG = "self-test failed|wrong result"
LOST = ("EnqueueWriteBuffer", "EnqueueReadBuffer", "EnqueueNDRangeKernel", "WaitForEvents", "Finish")
LEFT_OUT = ("CreateContext", "CreateCommandQueue", "CreateProgramWithSource", "BuildProgram", "CreateKernel")


class Driver:
    """Cases with the shim around the driver."""

    caches = itertools.count()

    def __init__(self, lab):
        self.lab, self.shim = lab, lab.unit_test("faults/opencl_shim.so")

    def case(self, name, base, fault, gpu=False, **changes):
        env = {**base.env, "LD_PRELOAD": self.shim, "CLFAULT": fault, "CLFAULT_LOG": self.lab.path("opencl-calls")}
        if gpu:  # what other cases remember of the device is not what it says now
            env |= {"CLFAULT_GPU": "1", "XDG_CACHE_HOME": self.lab.path(f"cache-{next(self.caches)}")}
            shutil.copytree(self.lab.path("as-h200"), env["XDG_CACHE_HOME"])
        return of(base, name=f"{base.name}: {name}", **{"env": env, **changes})

    def calls(self, base, gpu=False):
        case = self.case("counted", base, "count", gpu)
        if self.lab.run(case):
            return None
        with open(case.env["CLFAULT_LOG"], encoding="ascii") as file:
            return {name: int(n) for name, n in map(str.split, file)}


def failing(driver, base):
    counts = driver.calls(base)
    failed, done = (8, {}, ()), (0, base.leaves, ())
    for function, errors in ERRORS.items():
        for n in some(counts[function], 4):
            for error in errors:
                outcomes = (failed,) if function in STRICT else (failed, done)
                yield driver.case(f"{function} {n} of {counts[function]} fails with {error}", base, f"{function}:{n}:{error}",
                                  outcomes=outcomes)
    for function in LOST:
        for n in some(counts[function], 4):
            yield driver.case(f"the device is lost from {function} {n} on", base, f"{function}:{-n}:-5",
                              outcomes=(failed,) if function in STRICT else (failed, done))


def lying(driver, base):
    base = of(base, command=[*base.command[:2], "--table", "4", *base.command[2:]])  # the bitsliced form has no table
    counts = driver.calls(base)
    for n in some(counts["EnqueueReadBuffer"], 7):
        yield driver.case(f"a bit of what is read back, time {n} of {counts['EnqueueReadBuffer']}", base, f"EnqueueReadBuffer:{n}:flip",
                          exit=8, leaves={}, says=WRONG)
    if "aes" in base.command:
        yield driver.case("another constant in the program", base, "CreateProgramWithSource:1:flip", exit=8, leaves={},
                          says=WRONG)
    yield driver.case("another constant in the table", base, "CreateBuffer:1:flip", exit=8, leaves={}, says=WRONG)


def none(enc):
    """No driver, one that cannot be loaded, one without device."""
    def vendors(content):
        def prepare(folder):
            os.mkdir(os.path.join(folder, "vendors"))
            if content:
                with open(os.path.join(folder, "vendors", "some.icd"), "w", encoding="ascii") as file:
                    file.write(content)
        return prepare

    for name, content in ("no driver", ""), ("a driver that is not there", "libnowhere.so.1\n"), ("a driver's file of garbage", "\x01\n" * 99):
        without = of(enc, prepare=vendors(content), env={"OCL_ICD_VENDORS": "vendors"})
        yield of(without, name=f"{name}: named", exit=8, leaves={}, says="OpenCL")
        for engine in "auto", "cpu":
            yield of(without, name=f"{name}: {engine}", command=with_engine(enc, engine))


def strictly(base):
    return of(base, command=[*base.command[:2], *STRICTLY, *base.command[2:]])


def with_engine(base, *engine):
    at = base.command.index("--engine")
    return [*base.command[: at + 1], *engine, *base.command[at + 2 :]]


def fails_at_work(driver, enc, together):
    """After its known answers; where the CPU does not begin before it is open, and leave it nothing."""
    answers = driver.calls(enc)["EnqueueReadBuffer"] - 4  # groups
    waits = Case("all engines, resumable", ["gcrypt", "enc", "--resume", *together.command[2:-3], "long"], files=("long", "key"))
    waits.command[2:2] = STRICTLY
    return driver.case("a device fails at work", waits, f"EnqueueReadBuffer:-{answers + 1}:-5", gpu=True, exit=8,
                       leaves={"long.gcr.part": Any})


def gives_way(driver, enc):
    """A device that says it is a GPU is left out of all engines, or of the automatic choice, when it cannot be opened."""
    together = of(enc, name="all engines", command=with_engine(enc, "all", "-T", "2"))
    for function in LEFT_OUT:
        for error in ERRORS[function]:
            yield driver.case(f"{function} fails with {error}", together, f"{function}:0:{error}", gpu=True, says="left out")
    alone = of(enc, name="all engines", command=with_engine(enc, "all"))
    yield driver.case("no CPU, and the only device fails", alone, "BuildProgram:0:-11", gpu=True, exit=8, leaves={})
    yield fails_at_work(driver, enc, together)
    yield driver.case("a device gives a wrong known answer", strictly(together), "CreateBuffer:1:flip", gpu=True, exit=8, leaves={})
    chosen = of(enc, name="the fastest by prediction", command=with_engine(enc, "auto"), files=("much", "key"),
                leaves={"out": Opens("much")})
    chosen.command = ["much" if word == "in" else word for word in chosen.command]
    for function in LEFT_OUT:
        yield driver.case(f"{function} fails", chosen, f"{function}:0:-5", gpu=True, says="using the CPU")
    yield driver.case("no platform", chosen, "GetPlatformIDs:0:-1001", gpu=True)
    yield driver.case("no device", chosen, "GetDeviceIDs:0:-1", gpu=True)
    yield driver.case("a wrong known answer", strictly(chosen), "CreateBuffer:1:flip", gpu=True, exit=8, leaves={})
    yield driver.case("lost at work", strictly(chosen), "EnqueueReadBuffer:-20:-5", gpu=True, exit=8, leaves={})
    yield from gives_way_to_both(driver)


def gives_way_to_both(driver):
    """Where the second of rekey's engines cannot be opened on the device, it has neither of them."""
    for cipher in "camellia", "sc2000":  # the table forms of the latter are its own
        rekey = Case(f"rekey to {cipher}", ["gcrypt", "rekey", "--engine", "auto", "--cipher", cipher, *WORK, *KEY, "-o", "out", "old"],
                     leaves={"out": Opens("much")}, files=("old", "key"))
        named = of(rekey, command=with_engine(rekey, "opencl"))
        counts = driver.calls(rekey, gpu=True)
        for function, error in ("CreateProgramWithSource", -5), ("BuildProgram", -11):
            fault = f"{function}:{counts[function] // 2 + 1}:{error}"
            yield driver.case(fault, rekey, fault, gpu=True, says="using the CPU")
            yield driver.case(f"named, {fault}", named, fault, gpu=True, exit=8, leaves={})


def clean(name):
    """As cache_clean_name() in ppf/record/cache.c."""
    return re.sub(r"[^A-Za-z0-9._+-]", "_", name)


def pretend_h200(lab):
    """Records that promise much of this machine's OpenCL device, and little of its CPU."""
    devices = json.loads(subprocess.run([lab.gcrypt, "devices", "--json"], env=lab.environment, capture_output=True, check=True).stdout)
    folder = os.path.join(lab.path("as-h200"), "gcrypt")
    os.makedirs(folder, exist_ok=True)
    here = os.path.dirname(os.path.abspath(__file__))
    cache = {"format": "gcrypt machine 1"}
    for source, name, driver, key in [("h200", device["name"], device["driver"], f"device-{device['name']}-{device['driver']}")
                                      for device in devices["devices"]] + [("cpu", "host", "cpu", "host")]:
        with open(os.path.join(here, f"../../ppf/devices/{source}.json"), encoding="utf-8") as file:
            record = json.load(file)
        record.update(name=name, driver=driver, libcrypto=devices["cpu"]["libcrypto"].split()[1], forms=devices["cpu"]["forms"], build_s=1e-5, context_s=1e-5)
        record["cpu"] = {suite: [1e5, 1e5] for suite in record.get("cpu", ())}
        cache[clean(key)] = record
    with open(os.path.join(folder, f"machine-{clean(socket.gethostname())}.json"), "w", encoding="utf-8") as file:
        json.dump(cache, file)


def cases(lab):
    driver, named = Driver(lab), ["--engine", "opencl"]
    enc = Case("enc", ["gcrypt", "enc", *named, "--cipher", "aes", *WORK, *ONE, *KEY, "-o", "out", "in"], leaves={"out": Opens("in")})
    dec = Case("dec", ["gcrypt", "dec", *named, *WORK, *KEY, "-o", "out", "one"], leaves={"out": Same("in")}, files=("one", "key"))
    xts = Case("enc, XTS", [*enc.command[:2], "--mode", "xts", *enc.command[2:]], leaves=enc.leaves)
    xts.command[xts.command.index("aes")] = "camellia"
    lab.make("one", "enc", "--engine", "cpu", *ONE, *KEY, "in")
    if driver.calls(enc) is None:
        yield Skip("devices", "no OpenCL device works here")
        return
    yield from none(enc)
    lab.add("much", bytes(3 << 20))
    lab.make("old", "enc", "--engine", "cpu", *ONE, *KEY, "much")
    pretend_h200(lab)
    for base in map(strictly, (enc, dec, xts)):
        yield from failing(driver, base)
        yield from lying(driver, base)
    yield from gives_way(driver, enc)
