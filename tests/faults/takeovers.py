"""Group 23: devices that fail, answer late or never, lose their context or compute one form wrongly.

Once a device has given its known answers the CPU does what it does not: the output is right, and there is one warning.
Before, a named device is exit 8, and another one falls back to the CPU.  No case takes longer than its deadlines.
"""
import itertools

from faults.calls import of, some
from faults.devices import ONE, Driver, pretend_h200, with_engine
from faults.harness import KEY, Case, Opens, Same, Skip

DEADLINE = 3  # a loaded machine must not miss it where nothing hangs
AT_WORK = ("SetKernelArg", "EnqueueWriteBuffer", "EnqueueNDRangeKernel", "EnqueueReadBuffer", "WaitForEvents", "CreateBuffer", "EnqueueMapBuffer")
AT_END = ("EnqueueFillBuffer", "Finish", "EnqueueUnmapMemObject", "ReleaseMemObject", "ReleaseCommandQueue")
OPENING = ("CreateContext", "CreateCommandQueue", "CreateProgramWithSource", "BuildProgram", "CreateKernel", "CreateBuffer",
           "EnqueueWriteBuffer", "EnqueueNDRangeKernel", "WaitForEvents")
WARNS = r"(?s)\A(?!.*warning.*warning).*(the CPU works in its place|its context was made again)"
# The same, if the call was made: how many groups a device gets beside the CPU depends on who is faster.
WARNS_IF_CALLED = r"(?s)\A(?:(?!.*clfault)|(?!.*warning.*warning).*(the CPU works in its place|its context was made again))"
# Kernel arguments, buffers and page-locked memory: that one of them fails may be of no consequence.
HARMLESS = ("SetKernelArg", "CreateBuffer", "EnqueueMapBuffer")


def commands(lab):
    options = ["--device-deadline", str(DEADLINE), "--recheck", "1"]
    enc = ["gcrypt", "enc", "--engine", "opencl", *options, *ONE, *KEY, "-o", "out"]
    files = {"leaves": {"out": Opens("in")}, "files": ("in", "key", "none")}
    raw = ["--raw", "--bits", "128", "--key-hex", "00112233445566778899aabbccddeeff", "--iv-hex", "0" * 32]
    lab.add("none", b"")
    lab.make("single", "enc", "--engine", "cpu", *ONE, *KEY, "in")
    lab.make("raw", "enc", "--engine", "cpu", "--cipher", "aes", "--mode", "ctr", *raw, "in")
    lab.make("nothing", "enc", "--engine", "cpu", *ONE, *KEY, "none")
    return [
        Case("enc", [*enc, "--cipher", "aes", "in"], **files),
        Case("enc, XTS", [*enc, "--cipher", "camellia", "--mode", "xts", "in"], **files),
        Case("dec", ["gcrypt", "dec", "--engine", "opencl", *options, *KEY, "-o", "out", "single"], leaves={"out": Same("in")},
             files=("single", "key", "nothing")),
        Case("enc, raw", ["gcrypt", "enc", "--engine", "opencl", *options, *raw, "--cipher", "aes", "--mode", "ctr", "-o", "out", "in"],
             leaves={"out": Same("raw")}, files=("in", "none")),
        Case("rekey", ["gcrypt", "rekey", "--engine", "opencl", *options, *KEY, "-o", "out", "single"], leaves={"out": Opens("in")},
             files=("single", "key", "nothing")),
    ]


def empty_of(base):
    """The same for an input of no bytes: the device is opened and tested only."""
    word = {"in": "none", "single": "nothing"}[base.command[-1]]
    return of(base, command=[*base.command[:-1], word], leaves={"out": type(base.leaves["out"])("none")})


def middle(n):
    return [(n + 1) // 2] if n > 0 else ()


def fails_at_work(driver, base, gpu=False, warns=WARNS):
    opening, counts = driver.calls(empty_of(base), gpu), driver.calls(base, gpu)
    for function in AT_WORK:
        first, n = opening[function] + 1, counts[function] - opening[function]
        says = "" if function in HARMLESS else warns
        for how, moments in ("-5", some(n, 2)), ("lost", middle(n)), ("gone", middle(n)), ("hang", middle(n)), ("slow", middle(n)):
            for i in moments:
                yield driver.case(f"{function} {i} of {n} at work: {how}", base, f"{function}:{first + i - 1}:{how}", gpu=gpu,
                                  says="" if how == "slow" else says, timeout=40)
        if n > 1:
            yield driver.case(f"{function} fails from 2 of {n} at work on", base, f"{function}:{-first - 1}:-5", gpu=gpu, timeout=40)


def returns_too_late(driver, base):
    """The thread of a device that was left goes on while the CPU works."""
    opening, counts = driver.calls(empty_of(base)), driver.calls(base)
    for function in AT_WORK[1:5]:
        n = counts[function] - opening[function]
        yield driver.case(f"{function} 1 of {n} at work: late", base, f"{function}:{opening[function] + 1}:late", says=WARNS, timeout=40)


def fails_at_end(driver, base):
    """Buffers are wiped and released when the output is complete, or a buffer grows."""
    counts = driver.calls(base)
    for function in AT_END:
        for how in "-5", "gone", "hang":
            for i in middle(counts[function]):
                yield driver.case(f"{function} {i} of {counts[function]}: {how}", base, f"{function}:{i}:{how}", timeout=40,
                                  outcomes=((0, base.leaves, ()), (8, {}, ())))  # where it opens, a buffer grows as well


def fails_to_open(driver, named, chosen):
    for function in OPENING:
        for how in "hang", "gone":
            fault = f"{function}:1:{how}"
            yield driver.case(f"{function} 1: {how}", named, fault, exit=8, leaves={}, timeout=40)
            yield driver.case(f"{function} 1: {how}", chosen, fault, gpu=True, says="warning", timeout=40)
    yield driver.case("BuildProgram 1: slow", named, "BuildProgram:1:slow", timeout=40)


def with_options(base, *options):
    return of(base, command=[*base.command[:2], *options, *base.command[2:]])


def patient(base):
    """For programs that no other case builds."""
    return of(base, command=[{str(DEADLINE): "60"}.get(word, word) for word in base.command], timeout=120)


def computes_a_form_wrongly(driver, named):
    """AES has tables 4 and 1, and none."""
    named = patient(with_options(named, "--table", "4"))
    for number, instead in ("4", "1"), ("1", None), ("0", None):
        case = driver.case(f"form {number} is wrong", named, "none", says=rf"warning: table {instead} in place of 4" if instead else "")
        case.env["CLFAULT_FORM"] = number
        yield case
    for number, options, name in ("0", ["--constant-time"], "the only form"), ("4", ["--strict-device"], "strictly: the form"):
        case = driver.case(f"{name} is wrong", with_options(of(named, command=[word for word in named.command if word not in ("--table", "4")])
                           if number == "0" else named, *options), "none", exit=8, leaves={}, says="self-test failed")
        case.env["CLFAULT_FORM"] = number
        yield case
    yield driver.case("all tables are wrong", named, "CreateBuffer:0:flip", says="table none in place of 4")


def forgets(driver, name):
    """What other cases remember of the device is not what it says now."""
    return {"XDG_CACHE_HOME": driver.lab.path(f"small-{name}")}


def small(driver, named):
    """Few work-items in a group, or little local memory: the same bytes, by chosen shapes and by default ones."""
    suites = ("aes", "ctr"), ("camellia", "xts"), ("sc2000", "ctr")
    for i, (items, local) in enumerate(itertools.product((1, 16, 32, 63), (4096, 16384))):
        cipher, mode = suites[i % 3]
        command = [cipher if word == "aes" else word for word in with_options(patient(named), "--mode", mode).command]
        case = driver.case(f"{cipher}, {items} work-items, {local} bytes", of(patient(named), command=command), "none")
        case.env |= {"CLFAULT_WORK_ITEMS": str(items), "CLFAULT_LOCAL_BYTES": str(local), **forgets(driver, i)}
        yield case
    command = ["sc2000" if word == "aes" else word for word in with_options(patient(named), "--table-space", "local").command]
    case = driver.case("sc2000, tables that fit into 4096 bytes", of(patient(named), command=command), "none")
    case.env |= {"CLFAULT_LOCAL_BYTES": "4096", **forgets(driver, "local")}
    yield case
    case = driver.case("64 KiB of tables in 4096 bytes", with_options(named, "--table", "4", "--table-space", "local", "--copies", "16"),
                       "none", exit=8, leaves={}, says="65[0-9]* bytes of tables and keys, local memory has 4096")
    case.env |= {"CLFAULT_LOCAL_BYTES": "4096", **forgets(driver, "none")}
    yield case


def cases(lab):
    driver, bases = Driver(lab), commands(lab)
    named = bases[0]
    if driver.calls(named) is None:
        yield Skip("takeovers", "no OpenCL device works here")
        return
    lab.add("much", bytes(3 << 20))
    pretend_h200(lab)
    for base in bases:
        yield from fails_at_work(driver, base)
        yield from fails_at_end(driver, base)
    yield from returns_too_late(driver, named)
    yield from returns_too_late(driver, bases[-1])
    together = of(named, name="all engines", command=with_engine(named, "all", "-T", "1"), env={**named.env, "CLFAULT_TELL": "1"})
    yield from fails_at_work(driver, together, gpu=True, warns=WARNS_IF_CALLED)
    chosen = of(named, name="the fastest by prediction", command=[*with_engine(named, "auto")[:-1], "much"], files=("much", "key"),
                leaves={"out": Opens("much")})
    yield from fails_to_open(driver, named, chosen)
    yield from computes_a_form_wrongly(driver, named)
    yield from small(driver, named)
