#!/bin/bash
# A CPU's record without figures of vectors: bitsliced kernels are predicted by their trials, which advise marks; what was
# not tried is named.  What was measured with another libcrypto does not count.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
keep_records
libcrypto=$(field cpu.libcrypto <devices.json | cut -d ' ' -f 2) # OpenSSL 3.0.17 1 Jul 2025
[ "$(field devices.0.type <devices.json 2>/dev/null)" = CPU ] || skip "device 0 is no CPU"

# forge PYTHON: a change of each record in the cache.
forge() { change_cache "for record in cache.values():
    if 'cpu_threads' in record:
        $1"; }
advise() { expect_exit 0 "$GCRYPT" advise --size 64G --device 0 --bits 256 "$@" >out; }

# 64 GiB at 50 GB/s, which no table does; AES was not tried.
forge 'record["slice_words"] = None; record["trials"] = {"camellia-256-ctr-none": 50e9, "sc2000-256-ctr-none": 1.0}'
advise -v
grep -qE '^camellia-256 +device 0 .* 50 .*none; [0-9]+x[0-9]+ \(tried\)$' out || give_up "no trial: $(cat out)"
grep -qE '^aes-256 +device 0 .* \(not none\)$' out || give_up "left out in silence: $(cat out)"
grep -qE '^sc2000-256 +device 0 .*[0-9]$' out || give_up "a slow trial was taken: $(cat out)"
grep -q '^(tried): ' out || give_up "(tried) is not explained: $(cat out)"
grep -q '^(not none): ' out || give_up "(not none) is not explained: $(cat out)"
awk 'length > 120 { print; bad = 1 } END { exit bad }' out || give_up "wider than 120 columns"
advise --cipher camellia --json
[ "$(field rows.0.estimate.tried <out)" = True ] || give_up "tried: $(cat out)"
[ "$(field rows.0.estimate.bound <out)" = None ] || give_up "bound: $(cat out)"
advise --cipher camellia --explain
grep -q 'in a trial the kernel took' out || give_up "--explain: $(cat out)"
grep -q "its record measured here, libcrypto $libcrypto\$" out || give_up "no libcrypto: $(cat out)"

# A record is read before it is measured again: enc takes the default, and says so.
forge 'record["libcrypto"] = "1.1.1w"'
bytes 100000 >in
make_key
expect_exit 0 "$GCRYPT" enc -v --engine opencl --device 0 --key-file key in 2>err
grep -q 'measured with libcrypto 1.1.1w, not with ' err || give_up "nothing said of libcrypto: $(cat err)"
