#!/bin/bash
# Containers that are forged and damaged at random, the same every time: salvage gives what an
# independent implementation of its rule gives, byte by byte and line by line.  GCRYPT_TEST_ONE_IN: run one in N.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
ulimit -f 1024 # KiB a file: what a header claims is not written
timeout 120 python3 "$tests/model/salvage_random.py" "$GCRYPT" 1 $((240 / ${GCRYPT_TEST_ONE_IN:-1}))
