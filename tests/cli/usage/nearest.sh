#!/bin/bash
# A mistyped option: what is proposed completes the word or is close to it, and destroys nothing.
. "${BASH_SOURCE[0]%/*}/../lib.sh"

# proposes OPTION|nothing WORD…
proposes() {
	for word in "${@:2}"; do
		expect_exit 2 "$GCRYPT" enc "$word" x
		if [ "$1" = nothing ]; then
			! grep -q nearest err || give_up "$word: $(cat err)"
		else
			says "$word: unknown option: nearest is $1 ("
		fi
	done
}
proposes --key-file --key --key-fil --keyfile
proposes --dry-run --dry --dryrun
proposes --recipient --recip --recipeint
proposes nothing --r --rmm --mr --forc --forced --inplace --in-plac --zzz --arm
