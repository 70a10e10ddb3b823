#!/bin/bash
# docs/performance.md is what docs/results/ makes; 30-bench.sh makes a page of what it measured.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
docs=$(cd "$root/docs" && pwd)
"$docs/make-performance" >page
cmp page "$docs/performance.md" || give_up "docs/performance.md is not what docs/results/ makes: use make performance"
