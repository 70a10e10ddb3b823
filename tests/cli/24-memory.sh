#!/bin/bash
# Memory does not grow with the input: 1.5 GiB through a pipe, and a sparse file.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
make_key
cat >measured.py <<'PY'
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
if peak > 700:
    sys.exit(f"{peak} MiB resident")
sys.exit(code)
PY
head -c 1536M /dev/zero |
	python3 measured.py "$GCRYPT" enc --engine cpu --key-file key - |
	python3 measured.py "$GCRYPT" dec --engine cpu --key-file key - |
	cmp -n $((1536 << 20)) - /dev/zero
truncate -s 1536M sparse
python3 measured.py "$GCRYPT" enc --engine cpu --key-file key -o /dev/null sparse
