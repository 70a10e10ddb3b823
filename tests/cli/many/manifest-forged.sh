#!/bin/bash
# A manifest decides only for the passphrase or key file that wrote it: its MAC needs more than file keys of the secret.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
export P='correct horse battery staple'
make_key
"$GCRYPT" keygen --x25519 -o ben.pem
kdf=(--kdf-cost 10)
mkdir old
echo shared >old/X
zeros=$(printf '%064d' 0)

# text NAME DIGEST [MAC]: a manifest of one file as it is now.
text() {
	python3 - "$@" <<'TEXT'
import json, os, sys
name, digest, *mac = sys.argv[1:]
there = os.stat(name)
time = lambda ns: "%d.%09d" % divmod(ns, 10**9)
first = {"manifest": 1, "time": "2026-11-26T00:00:00Z", "files": 1}
first.update({"mac": mac[0]} if mac else {})
record = {"name": name, "container": name + ".gcr", "size": there.st_size,
          "container_size": os.stat(name + ".gcr").st_size, "mtime": time(there.st_mtime_ns),
          "ctime": time(there.st_ctime_ns), "digest": digest}
for line in first, record:
    print(json.dumps(line, separators=(",", ":")))
TEXT
}

# unbound OPTION…: m is not accepted, nothing is skipped or replaced because of it, and the next manifest is bound.
unbound() {
	refused 4 'm: not bound to this secret' verify --engine cpu "$@" --manifest m
	cp real.gcr before
	refused 6 'm: warning: not bound to this secret: its records are ignored' enc --engine cpu "$@" "${kdf[@]}" --manifest m real
	same before real.gcr
	expect 0 'm: warning: not bound to this secret' "$GCRYPT" enc -f --engine cpu "$@" "${kdf[@]}" --manifest m real
	"$GCRYPT" dec -q --engine cpu "$@" -f -o back real.gcr
	same real back
	"$GCRYPT" verify -q --engine cpu "$@" --manifest m
	made=$(stat -c %i real.gcr)
	"$GCRYPT" enc -q --engine cpu "$@" "${kdf[@]}" --manifest m real
	[ "$(stat -c %i real.gcr)" = "$made" ] || give_up "encrypted again"
}

echo 'the real data' >real
echo 'forged content' >fake
for secret in "--passphrase env:P env:P" "--key-file key key"; do
	read -r option value of_peer <<<"$secret"
	k=("$option" "$value")
	[ "$option" = --key-file ] || k+=("${kdf[@]}")

	# Ben was a recipient of another container of the secret.
	rm -f old/X.gcr
	"$GCRYPT" enc -q --engine cpu --cipher aes "${k[@]}" --recipient ben.pem.pub old/X
	forge file-key old/X.gcr pem:ben.pem known
	for mac in '' "$zeros" "${zeros//0/f}"; do
		digest=$(forge container old/X.gcr known 0 fake real.gcr)
		text real "$digest" ${mac:+"$mac"} >forged
		forge container old/X.gcr known 4 forged m >/dev/null
		unbound "$option" "$value"
	done

	# He knows the text of a manifest, but no MAC of another text.
	peer bound "$of_peer" m
	peer dec "$of_peer" m forged
	sed -i 's/"name":"real"/"name":"rael"/' forged
	forge container old/X.gcr known 4 forged m >/dev/null
	unbound "$option" "$value"

	# An earlier release has written it: no MAC, everything else is right.
	peer dec "$of_peer" m forged
	sed -i 's/,"mac":"[0-9a-f]*"//' forged
	peer enc --log2-n 10 --content 4 "$of_peer" forged m
	unbound "$option" "$value"

	# The independent implementation of the MAC.
	peer dec "$of_peer" m forged
	peer enc --log2-n 10 --content 4 "$of_peer" forged m
	"$GCRYPT" verify -q --engine cpu "$option" "$value" --manifest m
	rm -f m real.gcr
done

# key add does not unbind; the added secret has written nothing, and rekey to another one unbinds.
k=(--engine cpu --key-file key)
bytes 32 5 >other
chmod 600 other
"$GCRYPT" enc -q "${k[@]}" --manifest m real
"$GCRYPT" key add -q --key-file key --new-key-file other m
"$GCRYPT" verify -q "${k[@]}" --manifest m
refused 4 'm: not bound to this secret' verify -q --engine cpu --key-file other --manifest m
