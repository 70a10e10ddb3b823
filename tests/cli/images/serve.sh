#!/bin/bash
# The plugin for nbdkit: containers and detached images as a block device that can only be read; damage is an error of
# the reads that it concerns.
# shellcheck disable=SC2016 # nbdkit's shell expands $uri
. "${BASH_SOURCE[0]%/*}/../lib.sh"
plugin=$(dirname "$(realpath "$GCRYPT")")/nbdkit-gcrypt-plugin.so
[ -e "$plugin" ] || skip "the plugin is not built: nbdkit's header is missing"
for program in nbdkit nbdcopy nbdinfo qemu-io; do
	[ "$(type -P $program)" ] || skip "$program is not installed"
done
make_key
k=(--engine cpu --key-file key)
bytes 1000001 >plain
"$GCRYPT" enc "${k[@]}" --chunk-log2 12 --group-log2 16 plain

# nbdkit 1.32 can end in an assertion if a client goes away while several of its requests are under way: where a copy
# is to fail, it makes one request at a time.
one_by_one='nbdcopy -C 1 -R 1'

# serve PARAMETER… COMMAND: the command knows $uri.
serve() { timeout 60 nbdkit -U - -t 16 "$plugin" "${@:1:$#-1}" --run "${@: -1}"; }

[ "$(serve file=plain.gcr key-file=key 'nbdinfo --size "$uri"')" = 1000001 ] || give_up "another size"
serve file=plain.gcr key-file=key 'nbdinfo --can write "$uri"' && give_up "it can be written"
serve file=plain.gcr key-file=key 'nbdinfo --can multi-conn "$uri"' || give_up "one connection only"
serve file=plain.gcr key-file=key 'nbdcopy "$uri" back'
same plain back
# 16 connections at once, and 16 clients.
serve file=plain.gcr key-file=key 'nbdcopy -C 16 -R 64 --request-size=4096 "$uri" back'
same plain back
serve file=plain.gcr key-file=key 'for i in $(seq 16); do nbdcopy "$uri" back$i & done; wait'
for i in {1..16}; do same plain "back$i"; done

# The ways to open it.
PASSPHRASE=secret "$GCRYPT" enc --engine cpu --passphrase env:PASSPHRASE --kdf-cost 10 -o secret.gcr plain
serve file=secret.gcr passphrase=secret 'nbdcopy "$uri" back'
same plain back
printf secret >passphrase
serve file=secret.gcr passphrase=+passphrase 'nbdcopy "$uri" back'
same plain back
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.pem 2>/dev/null
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ec.pem
"$GCRYPT" keygen --x25519 -o x.pem
for key in rsa ec x; do
	openssl pkey -in $key.pem -pubout -out $key.pub
	"$GCRYPT" enc -q -f --engine cpu -r $key.pub -o public.gcr plain
	serve file=public.gcr identity=$key.pem 'nbdcopy "$uri" back'
	same plain back
done
! serve file=plain.gcr identity=x.pem 'true' 2>err || give_up "another private key opens it"
says 'no key slot matches'
openssl pkey -in x.pem -aes256 -passout pass:secret -out protected.pem
! serve file=public.gcr identity=protected.pem 'true' 2>err || give_up "a protected key opens it"
says 'holds no private key in PEM without a passphrase'
bytes 32 7 >wrong
! serve file=plain.gcr key-file=wrong 'true' 2>err || give_up "another key opens it"
says 'no key slot matches'
! serve file=plain.gcr key-file=plain 'true' 2>err || give_up "a file that is no key opens it"
says 'a key file has 32 bytes'
! serve file=plain.gcr 'true' 2>err || give_up "no key opens it"
says 'one of key-file=FILE, identity=KEY.pem and passphrase=PASSWORD is needed'
! serve file=plain key-file=key 'true' 2>err || give_up "a plain file is served"
says 'not a gcrypt container'
! serve file=missing key-file=key 'true' 2>err || give_up "a missing file is served"
says 'missing: cannot open'
! serve file=plain.gcr key-file=key colour=red 'true' 2>err || give_up "an unknown parameter"
says "unknown parameter 'colour'"

# What is not a file is refused, and nothing waits.
mkfifo fifo
for parameters in 'file=fifo key-file=key' 'file=plain.gcr key-file=fifo' 'file=plain.gcr identity=fifo' 'file=plain.gcr image=fifo key-file=key'; do
	! serve $parameters 'true' 2>err || give_up "$parameters"
	says 'fifo: neither a regular file nor a block device'
done
# Frames of zstd are not what is in the file.
"$GCRYPT" enc "${k[@]}" --zstd -o compressed.gcr plain
! serve file=compressed.gcr key-file=key 'true' 2>err || give_up "frames of zstd are served"
says 'its content is compressed by zstd'

# A detached image.
bytes 1048576 >plain.img
"$GCRYPT" enc "${k[@]}" "${small[@]}" --detached -o disk plain.img
serve file=disk.gcr image=disk key-file=key 'nbdcopy "$uri" back'
same plain.img back
! serve file=disk.gcr key-file=key 'true' 2>err || give_up "a detached header alone is served"
says 'its image is needed'

# Damage of one chunk: the chunks around it are read, it is not.
at=$((16384 + 2 * (4096 + 65536) + 4096 + 3 * 4096 + 17)) # in group 2, chunk 3
flip plain.gcr $at
serve file=plain.gcr key-file=key 'qemu-io -r -f raw -c "read 139264 4096" -c "read 147456 4096" "$uri"' >out 2>err ||
	give_up "chunks that are whole cannot be read: $(cat out err)"
! serve file=plain.gcr key-file=key 'qemu-io -r -f raw -c "read 143360 512" "$uri"' >out 2>err ||
	give_up "a damaged chunk is read: $(cat out)"
grep -q 'Input/output error' out err || give_up "another error: $(cat out err)"
says 'a chunk is damaged'
! serve file=plain.gcr key-file=key "$one_by_one"' "$uri" back' 2>err || give_up "a damaged container is copied"
flip plain.gcr $at
# Cut and grown while it is served.
serve file=plain.gcr key-file=key 'cp plain.gcr whole; truncate -s 500000 plain.gcr
	'"$one_by_one"' "$uri" back 2>/dev/null && exit 1
	qemu-io -r -f raw -c "read 0 4096" "$uri" >/dev/null || exit 2
	cat whole >plain.gcr; echo more >>plain.gcr
	nbdcopy "$uri" back' 2>err || give_up "exit $?: $(cat err)"
same plain back
! serve file=plain.gcr key-file=key 'true' 2>err || give_up "a container with more bytes is served"
