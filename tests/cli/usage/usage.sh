#!/bin/bash
# What cannot be done as asked, beside the rows of refusals.tsv; help and version.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 100 >x

code=0
"$GCRYPT" 2>err || code=$?
[ "$code" -eq 2 ] || give_up "exit $code without a command"
says 'usage: '

# One file that cannot be done does not end the run for the others; the first failure counts.
mkdir folder
code=0
"$GCRYPT" enc --key-file key "${small[@]}" folder/.. folder/../folder/.. x 2>err || code=$?
[ "$code" -eq 2 ] || give_up "exit $code instead of the first one's"
[ "$(failures)" -eq 2 ] || give_up "not two messages: $(cat err)"
[ -e x.gcr ] || give_up "the last file was not done"
rm x.gcr
rmdir folder

# However long a name is, the message has the reason, and the name once.
long=$(printf '%0200d/' {1..19})nosuchfile
expect 3 "$long: cannot open: No such file or directory" "$GCRYPT" info "$long"
[ "$(wc -c <err)" -lt 4000 ] || give_up "the message has the name twice"
expect 3 'No such file or directory' "$GCRYPT" enc --key-file key -o "$long" x
expect 3 'cannot open: File name too long' "$GCRYPT" info "$(printf '%090000d' 1)"
expect 3 'cannot open: File name too long' "$GCRYPT" enc --key-file key "$(printf '%090000d' 1)"
"$GCRYPT" enc --dry-run --engine cpu --key-file key -o "$long" x >plan
grep -qx "output: $long" plan || give_up "the plan's name is cut"
rm plan

only key x

# The help of a command fits a terminal of 80 columns. What is seldom needed is left to --help=all.
for program in "$ppf" "$GCRYPT"; do
	mapfile -t commands < <("$program" --help | sed -n "s/^  ${program##*/} \([a-z]*\) .*/\1/p;/^  .* study /d")
	for command in "${commands[@]}"; do
		[ "$command" = study ] || "$program" "$command" --help=all
	done
	"$program" --help
done >printed
[ "$(wc -L <printed)" -lt 80 ] || give_up "wider than 79 columns: $(grep -E ".{80}" printed)"
"$GCRYPT" enc --help >help
[ "$(wc -l <help)" -le 48 ] || give_up "enc --help has $(wc -l <help) lines"
! grep -q -e '--work-items' -e '--iv-hex' help || give_up "enc --help: $(cat help)"
[ "$("$GCRYPT" --help=all enc)" = "$("$GCRYPT" enc --help=all)" ] || give_up "--help=all enc"
"$GCRYPT" enc --help=all | grep -A 1 '^kernels of OpenCL devices:' | grep -q -e '--table'
"$GCRYPT" enc --help=all | grep -A 9 '^only with --raw, ' | grep -q -e '--iv-hex'
for words in "key add" "key" "key --help"; do
	# shellcheck disable=SC2086
	cmp <("$GCRYPT" help $words) <("$GCRYPT" key --help) || give_up "help $words"
done

# Each command takes -q.
for command in "${commands[@]}"; do "$GCRYPT" "$command" -q --help >out; done

# Its examples work.
mkdir made made/home made/home/letters
cp x made/big.img
cp x made/home/a.jpg
(
	cd made
	for owner in anna ben carl; do "$GCRYPT" keygen -q --x25519 -o $owner.pem; done
	"$GCRYPT" keygen -q -o backup.key
	for input in big.img home; do
		"$GCRYPT" enc -q "${small[@]}" -r anna.pem.pub -r ben.pem.pub $input
	done
)
gcrypt() { "$GCRYPT" "$@"; }
ssh() { "${@:2}"; }
export -f gcrypt ssh
n=0
for command in enc dec verify list key rekey keygen clean; do
	while read -r line; do
		rm -rf try
		cp -r made try
		case $line in *keygen*) rm try/backup.key try/anna.pem* ;; *' enc '*) rm try/*.gcr ;; esac
		(cd try && setsid -w bash -euo pipefail -c "$line") </dev/null >out 2>err || grep -q 'no terminal' err ||
			give_up "$line: $(cat err)"
		n=$((n + 1))
	done < <("$GCRYPT" help $command | sed -n '/:$/q; s/^  \(.* gcrypt\|gcrypt\) /\1 /p' | sed 's/   .*//')
done
[ "$n" -ge 16 ] || give_up "only $n examples"
rm -r made try help printed out

# Asked for by name, help and version go to standard output.
"$GCRYPT" --help | grep enc >/dev/null
"$GCRYPT" --version >version
[ "$(cut -d : -f 1 version | tr '\n' ' ')" = "$(head -n 1 version) compiler libraries instruction forms on this machine " ] ||
	give_up "--version: $(cat version)"
cmp version <("$GCRYPT" -V)
cmp version <("$GCRYPT" version)
grep -qE '^gcrypt [0-9]+\.[0-9]+$' version
grep -qE '^compiler: (gcc|clang) [0-9]' version
grep -qE "^libraries: $(openssl version | cut -d ' ' -f 1,2) .*, libarchive [0-9.]+, jansson [0-9.]+$" version
"$GCRYPT" devices | grep -qF "instruction forms: $(sed -n 's/^instruction forms on this machine: //p' version), "
