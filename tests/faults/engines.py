"""Group 12: the CPU and OpenCL write the same bytes, and those of other programs.

With random numbers that are not random two runs must give the same container.
"""
import itertools
import os
import random
import shutil

from faults.harness import Any, Case, Skip

SIZES = (0, 1, 15, 16, 17, 4095, 4096, 4097, 8191, 8192, 8193, 40000)
SUITES = list(itertools.product(("aes", "camellia", "sc2000"), (128, 192, 256), ("ctr", "xts", "ecb")))

CONTAINERS = r"""
mkdir cpu opencl
for engine in cpu opencl; do
	for n in $SIZES; do head -c "$n" data > $engine/$n; done
	"$0" enc -q --engine $engine $SUITE --chunk-log2 12 --group-log2 13 --key-file key $engine/* || exit 1
	rm $engine/*[0-9]
done
for n in $SIZES; do cmp cpu/$n.gcr opencl/$n.gcr || exit 1; done
"$0" dec --engine opencl --key-file key cpu/*.gcr && "$0" dec --engine cpu --key-file key opencl/*.gcr || exit 1
for n in $SIZES; do cmp cpu/$n opencl/$n && cmp -n "$n" cpu/$n data && [ $(stat -c %s cpu/$n) = $n ] || exit 1; done
rm -r cpu opencl
"""

RAW = r"""
for engine in cpu opencl; do
	"$0" enc -q --raw --engine $engine $SUITE --key-hex $KEY $IV -o $engine data || exit 1
	"$0" dec -q --raw --engine $engine $SUITE --key-hex $KEY $IV -o back $engine && cmp back data && rm back || exit 1
done
cmp cpu opencl && if [ -n "$OPENSSL" ]; then openssl enc -$OPENSSL -K $KEY ${IV:+-iv ${IV#* }} -in data | cmp - cpu; fi && rm cpu opencl
"""


def raw(noise, cipher, bits, mode):
    """Raw mode; where the openssl program has the suite, beside it."""
    keys = 2 if mode == "xts" else 1
    iv = noise.randbytes(16).hex()
    known = mode != "xts" and cipher != "sc2000" and shutil.which("openssl")
    return {"KEY": noise.randbytes(keys * bits // 8).hex(), "OPENSSL": f"{cipher}-{bits}-{mode}" if known else "",
            "IV": {"ctr": f"--iv-hex {iv}", "ecb": "",
                   "xts": f"--iv-hex {iv}" if bits == 256 else "--iv-start 4294967295 --sector-size 4096"}[mode]}


def cases(lab):
    noise = random.Random(12)
    lab.add("data", noise.randbytes(40000))
    probe = Case("", ["gcrypt", "enc", "--engine", "opencl", "--key-file", "key", "-o", "out", "in"], leaves={"out": Any})
    if lab.run(probe):
        yield Skip("the same bytes", "no OpenCL device works here")
        return
    for cipher, bits, mode in SUITES:
        suite = {"SUITE": f"--cipher {cipher} --bits {bits} --mode {mode}", "SIZES": " ".join(map(str, SIZES))}
        yield Case(f"{cipher}-{bits}-{mode}, containers of {len(SIZES)} sizes", ["bash", "-c", CONTAINERS, "gcrypt"],
                   files=("data", "key"), fault="none:0:EIO", env={**suite, "FAULT_RANDOM": "1"})
        yield Case(f"{cipher}-{bits}-{mode}, raw", ["bash", "-c", RAW, "gcrypt"], files=("data", "key"),
                   env={**suite, **raw(noise, cipher, bits, mode)})
