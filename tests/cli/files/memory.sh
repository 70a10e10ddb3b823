#!/bin/bash
# Memory does not grow with the input: 1 GiB through a pipe, and a sparse file.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
cat >measured.py <<'PY'
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
if peak > 700:
    sys.exit(f"{peak} MiB resident")
sys.exit(code)
PY
head -c 1024M /dev/zero |
	python3 measured.py "$GCRYPT" enc --engine cpu --key-file key - |
	python3 measured.py "$GCRYPT" dec --engine cpu --key-file key - |
	cmp -n $((1024 << 20)) - /dev/zero
truncate -s 1024M sparse
python3 measured.py "$GCRYPT" enc --engine cpu --key-file key -o /dev/null sparse

# With less.
sed -i 's/> 700/> 48/' measured.py
head -c 200M /dev/zero |
	python3 measured.py "$GCRYPT" enc --engine cpu --memory 16M --key-file key - >c
python3 measured.py "$GCRYPT" dec --engine cpu --memory 16M --key-file key -o - c | cmp -n $((200 << 20)) - /dev/zero
python3 measured.py "$GCRYPT" verify --engine cpu --memory 16M --key-file key c
# What 48 MiB tell apart: more is used when more is there.
if head -c 400M /dev/zero | python3 measured.py "$GCRYPT" enc --engine cpu -T 8 --key-file key - >/dev/null 2>err; then
	give_up "no more memory is used than with --memory"
fi
says 'MiB resident'
"$GCRYPT" enc --engine cpu -f --memory 200K --key-file key -o c key
expect_exit 0 "$GCRYPT" verify --engine cpu --memory 200K --key-file key c
truncate -s 20M plain
"$GCRYPT" enc --engine cpu -f --group-log2 23 --key-file key -o c plain
refused 2 'more than 8388608 bytes of memory' dec --engine cpu --memory 8M --key-file key -o out c
no_file out

# A stack that is too small for keys.
stack() { bash -c 'ulimit -s "$1"; exec "${@:2}"' - "$1" "$GCRYPT" verify --engine cpu --key-file key c; }
expect 1 'the stack is limited to 256 KiB (ulimit -s)' stack 256
expect_exit 0 stack 512
