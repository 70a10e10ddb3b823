#!/bin/bash
# docs/performance.md is what docs/results/ makes; 30-bench.sh makes a page of what it measured.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/../scenarios/lib.sh"
docs=$(cd "${BASH_SOURCE[0]%/*}/../../docs" && pwd)
"$docs/make-performance" >page
cmp page "$docs/performance.md" || give_up "docs/performance.md is not what docs/results/ makes: use make performance"
