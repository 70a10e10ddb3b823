#!/bin/bash
# The manual pages know every option that the programs take, and no other; and every exit code.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
pages=$root/man

# commands PROGRAM: of its help text.
commands() { "$1" --help | sed -n "s/^  ${1##*/} \([a-z]*\) .*/\1/p"; }

# taken PROGRAM: the options that the help texts have.
taken() {
	for command in $(commands "$1"); do
		"$1" "$command" --help=all
	done | grep -oE '(^ +|, )--?(\[no-\])?[a-zA-Z][a-zA-Z0-9-]*' | tr -d ' ,' |
		sed 's/^--\[no-\]\(.*\)/--\1\n--no-\1/' | sort -u
}

# documented PAGE: the options that are items of its lists.
documented() {
	sed -n 's/, Fl/Fl/; /^\.It Fl /p' "$pages/$1" | grep -oE '(Fl|,) -?[a-zA-Z][a-zA-Z0-9-]*' | sed 's/.* /-/' | sort -u
}

for program in "$GCRYPT" "$ppf"; do
	page=${program##*/}.1
	taken "$program" >taken-options
	[ "$(wc -l <taken-options)" -ge 10 ] || give_up "${program##*/} takes: $(cat taken-options)"
	documented "$page" >documented-options
	diff taken-options documented-options >difference || give_up "taken (<) and in $page (>): $(cat difference)"
done

# Exit codes: those of the public header but GPUCRYPT_CANCELLED, which only programs that link the library see.
header=$root/gpucrypt/gpucrypt.h
mapfile -t codes < <(sed -n 's/^\tGPUCRYPT_\([A-Z_]*\) = \([0-9]*\).*/\2/p' "$header")
[ ${#codes[@]} -ge 9 ] || give_up "codes: ${codes[*]}"
# section PAGE NAME
section() { sed -n "/^\.Sh $2\$/,/^\.Sh /p" "$pages/$1"; }
cancelled=9
grep -q "GPUCRYPT_CANCELLED = $cancelled" "$header" || give_up "GPUCRYPT_CANCELLED is not $cancelled"
for code in "${codes[@]}"; do
	section gcrypt.1 "EXIT STATUS" | grep -qx "\.It $code" || [ "$code" -eq $cancelled ] ||
		give_up "gcrypt.1: exit $code"
	section libgpucrypt.3 "RETURN VALUES" | grep -q "^$code: " || give_up "libgpucrypt.3: $code"
done
section gcrypt.1 "EXIT STATUS" | grep -qx '\.It 128+N' || give_up "gcrypt.1: signals"
for code in 0 1 2 3 4 7 8; do
	section ppf.1 "EXIT STATUS" | grep -qw "$code" || give_up "ppf.1: exit $code"
done
