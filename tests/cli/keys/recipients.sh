#!/bin/bash
# Containers for the owners of X25519 and RSA keys: written, read, and refused; to and from the
# independent implementation.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 20000 >in

# A pair: the private key is for its owner.
expect_exit 0 "$GCRYPT" keygen --x25519 -o me.pem
[ "$(stat -c %a me.pem)" = 600 ] || give_up "mode $(stat -c %a me.pem)"
openssl pkey -in me.pem -pubout | cmp - me.pem.pub || give_up "the two are no pair"
"$GCRYPT" keygen --x25519 -o other.pem
for bits in 1024 2048 4096; do
	openssl genrsa -out "rsa$bits.pem" "$bits" 2>err
	openssl pkey -in "rsa$bits.pem" -pubout -out "rsa$bits.pub"
done

# Each of several opens it, and so does a key file that was named too; another does not.
everyone=(--recipient me.pem.pub --recipient rsa2048.pub --recipient rsa4096.pub)
expect_exit 0 "$GCRYPT" enc "${small[@]}" "${everyone[@]}" --key-file key in
for how in "--identity me.pem" "--identity rsa2048.pem" "--identity rsa4096.pem" "--key-file key"; do
	expect_exit 0 "$GCRYPT" dec $how -f -o out in.gcr
	same in out
done
refused 5 "no key slot matches this X25519 key" verify --identity other.pem in.gcr
"$GCRYPT" key list --json in.gcr >slots
id=$(openssl pkey -in rsa2048.pem -pubout -outform DER | sha256sum | head -c 16)
[ "$(field slots.2.key_id <slots)" = "$id" ] || give_up "key id: $(cat slots)"
[ "$(field slots.3.type <slots)" = rsa-oaep ] || give_up "slots: $(cat slots)"
"$GCRYPT" info --show-keys=0 --identity me.pem in.gcr >keys
"$GCRYPT" info --show-keys=0 --key-file key in.gcr | cmp - keys || give_up "other keys"

# A key id that fits and a slot that does not open; one that is damaged in both copies is exit 4.
"$GCRYPT" enc -f "${small[@]}" --recipient rsa2048.pub --recipient me.pem.pub in
flip in.gcr $((480 + 100))
flip in.gcr $((8192 + 480 + 100))
expect_exit 5 "$GCRYPT" verify --identity rsa2048.pem in.gcr
expect_exit 4 "$GCRYPT" verify --identity me.pem in.gcr

# Keys that are none, of the wrong half, of the wrong kind or size.
openssl genpkey -algorithm ed448 -out ed.pem
openssl pkey -in ed.pem -pubout -out ed.pub
echo text >text
bytes 300000 >long
for wrong in "text:not a public key" "in:not a public key" "long:too long" "me.pem:private key" "ed.pub:unknown type" "rsa1024.pub:2048" "/nonexistent:cannot open"; do
	code=2
	[ "${wrong%%:*}" != /nonexistent ] || code=3
	expect_exit "$code" "$GCRYPT" enc --recipient me.pem.pub --recipient "${wrong%%:*}" -o new in
	says "${wrong#*:}"
	no_file new
done
for wrong in "text:not a private key" "me.pem.pub:not a private key" "ed.pem:unknown type"; do
	refused 2 "${wrong#*:}" dec --identity "${wrong%%:*}" -o new in.gcr
done
nine=()
for _ in {1..9}; do nine+=(--recipient me.pem.pub); done
expect_exit 2 "$GCRYPT" enc "${nine[@]}" -o new in
no_file new
# X25519 keys of small order agree on nothing.
{ printf '\x30\x2a\x30\x05\x06\x03\x2b\x65\x6e\x03\x21\0' && head -c 32 /dev/zero; } >zero
openssl pkey -pubin -inform DER -in zero -out zero.pub
refused 2 "small order" enc --recipient zero.pub -o new in
no_file new

# A protected key is asked for, and without a terminal refused.
openssl pkey -in me.pem -aes256 -passout pass:open -out locked.pem
"$GCRYPT" enc -f "${small[@]}" --recipient me.pem.pub in
expect 2 "locked.pem" setsid -w "$GCRYPT" dec --identity locked.pem -o new in.gcr
cat >ask.py <<'PY'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
seen = b""
try:
    while some := os.read(terminal, 1000):
        seen += some
        if seen.endswith(b": "): # also each time that it asks again
            os.write(terminal, sys.argv[1].encode() + b"\n")
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
expect_exit 0 python3 ask.py open "$GCRYPT" dec --identity locked.pem -f -o out in.gcr
same in out
code=0
python3 ask.py wrong "$GCRYPT" dec --identity locked.pem -o new in.gcr || code=$?
[ "$code" -eq 5 ] || give_up "exit $code"

# Both ways to another implementation.
for pair in me.pem:me.pem.pub rsa2048.pem:rsa2048.pub; do
	"$GCRYPT" enc -f "${small[@]}" --recipient "${pair#*:}" -o ours in
	peer dec "pem:${pair%:*}" ours out
	same in out
	for half in "${pair%:*}" "${pair#*:}"; do
		peer enc --chunk-log2 12 --group-log2 13 "pem:$half" in theirs
		expect_exit 0 "$GCRYPT" dec --identity "${pair%:*}" -f -o back theirs
		same in back
	done
done
