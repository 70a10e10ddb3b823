#!/bin/bash
# docs/performance.md is what docs/results/ makes, and documents name only files that exist: each `path` that begins with
# a folder of the tree.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
"$root/docs/make-performance" >page
cmp page "$root/docs/performance.md" || give_up "docs/performance.md is not what docs/results/ makes: use make performance"
cd "$root"
# docs/decisions name files of their time.
# shellcheck disable=SC2016
missing=$(grep -noE '`(cli|command|docs|research|examples|gpucrypt|kernels|man|ppf|tests)/[^` ]*`' README.md SECURITY.md docs/*.md |
	grep -vE 'NAME|MACHINE|\*' | while IFS=: read -r file line path; do
	path=${path//\`/}
	[ -e "$path" ] || echo "$file:$line: $path"
done)
[ -z "$missing" ] || give_up "no such file: $missing"
