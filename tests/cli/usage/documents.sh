#!/bin/bash
# docs/performance.md, the data set and derived-devices.md are what docs/results/ makes, and documents name only files
# that exist: each `path` that begins with a folder of the tree.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
"$root/docs/make-performance" >page
cmp page "$root/docs/performance.md" || give_up "docs/performance.md is not what docs/results/ makes: use make performance"
"$root/docs/make-data-set" >page
cmp page "$root/docs/results/kernels.csv" || give_up "docs/results/kernels.csv is not what docs/results/ makes: use make performance"
head -n 1 page | tr , '\n' | while read -r column; do
	grep -q "^|.*\`$column\`.* |" "$root/docs/results/README.md" || give_up "docs/results/README.md: column $column"
done
"$root/docs/make-derived" "$(dirname "$GCRYPT")/ppf" >page
cmp page "$root/docs/results/derived-devices.md" || give_up "derived-devices.md is not what docs/make-derived prints"
"$(dirname "$GCRYPT")/ppf" record --from-table "$root/docs/results/derived/a100.json" -o record.json
"$(dirname "$GCRYPT")/ppf" predict --device record.json --cipher aes --size 1G >page
grep -q '(derived, never measured)' page
cd "$root"
# docs/decisions name files of their time.
# shellcheck disable=SC2016
missing=$(grep -noE '`(cli|command|docs|research|examples|gpucrypt|kernels|man|ppf|tests)/[^` ]*`' README.md SECURITY.md docs/*.md |
	grep -vE 'NAME|MACHINE|\*' | while IFS=: read -r file line path; do
	path=${path//\`/}
	[ -e "$path" ] || echo "$file:$line: $path"
done)
[ -z "$missing" ] || give_up "no such file: $missing"

# Every command of docs/coming-from.md works, in a folder with what it names.
cd "$OLDPWD"
needs ssh-keygen
make_key
mkdir -p made/.ssh made/home/letters made/out
cd made
export P=sesame12 P2=sesame34
bytes 70000 1 >notes.txt
bytes 1048576 2 >disk.img
bytes 3000 3 >home/letters/a.jpg
echo "$P" >pass
echo '*.tmp' >list
cp ../key KEY
bytes 32 5 >NEW
chmod 600 pass KEY NEW
for owner in anna ben carl; do "$GCRYPT" keygen --x25519 -o $owner.pem; done
cat anna.pem.pub ben.pem.pub >team.keys
for type in ed25519 ecdsa; do ssh-keygen -q -t $type -N '' -f .ssh/id_$type; done
cat .ssh/*.pub >anna.keys
for input in notes.txt disk.img home; do
	"$GCRYPT" enc -q --kdf-cost 10 --passphrase env:P $input
	"$GCRYPT" key add -q --passphrase env:P --new-key-file KEY --new-recipient anna.pem.pub --new-recipient .ssh/id_ed25519.pub $input.gcr
done
! with_library || "$GCRYPT" enc -q --luks2 --kdf pbkdf2 --kdf-cost 10 --passphrase env:P -o ../disk.luks disk.img
openssl enc -aes-256-ctr -K "$(hex KEY)" -iv 000102030405060708090a0b0c0d0e0f -in notes.txt -out notes.ctr
cd ..

# The command, with a passphrase where it would ask for one, which is derived soon.
gcrypt() {
	local more=()
	case "$* " in
	*'--key-file '* | *' -i '* | *' -r '* | *'--recipients-from '* | *'--passphrase '* | keygen* | info* | clean* | 'key id'*) ;;
	*) more=(--passphrase env:P) ;;
	esac
	case "$* " in
	'key change'*) more+=(--new-passphrase env:P2 --kdf-cost 10) ;;
	*--luks2*) more+=(--kdf pbkdf2 --kdf-cost 10) ;;
	rekey*) more+=(--kdf-cost 10) ;;
	'enc '*--kdf-cost* | *--raw* | *--update*) ;;
	'enc '*) more+=(--kdf-cost 10) ;;
	esac
	"$GCRYPT" "$1" -q "${more[@]}" "${@:2}"
}
export -f gcrypt
# shellcheck disable=SC2016
commands='
import re, sys
for line in open(sys.argv[1]):
    if line.startswith("| "):
        for code in re.findall(r"`([^`]*)`", re.split(r"(?<!\\) \| ", line)[-1]):
            if "gcrypt " in code:
                print(code.replace("\\|", "|"))'
export HOME=$PWD/work n=0
while IFS= read -r line; do
	rm -rf work
	cp -r made work
	line=${line/--kdf-cost 18/--kdf-cost 10}
	case $line in *keygen*) rm work/NEW work/carl.pem* ;; *--update*) ;; *'gcrypt enc '*) rm work/*.gcr work/notes.ctr ;; esac
	if [[ $line == *luks* ]]; then
		[ -e disk.luks ] || continue
		cp disk.luks work
	fi
	(cd work && bash -euo pipefail -c "$line") </dev/null >out 2>err || [[ $(cat err) == *'OpenSSL 3.5'* ]] || give_up "$line: $(cat err)"
	[ ! -e work/notes.copy ] || same made/notes.txt work/notes.copy
	[ ! -e work/disk.copy ] || same made/disk.img work/disk.copy
	[ ! -e work/notes.ctr ] || same made/notes.ctr work/notes.ctr
	for folder in work/old work/part work/home; do [ ! -e $folder ] || diff -r made/home $folder >/dev/null || [[ $line == *manifest* ]] || give_up "$line: $folder differs"; done
	n=$((n + 1))
done < <(python3 -S -E -c "$commands" "$root/docs/coming-from.md")
[ "$n" -ge 70 ] || give_up "only $n commands of docs/coming-from.md"
