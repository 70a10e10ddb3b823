#!/bin/bash
# Completion of the three shells knows every option of every command, and what it offers is taken.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
files=$(dirname "$GCRYPT")/completion
[ -s "$files/gcrypt.bash" ] || give_up "no completion beside $GCRYPT"
# shellcheck disable=SC1091
. "$files/gcrypt.bash"
make_key

# Outside of a completion bash has no compopt; what is asked of it is left in opted.
compopt() { opted="$*"; }

# complete_words WORD...: what bash offers for the last one, a line each.  A word that readline would
# split at = and : is split here.
complete_words() {
	local last=${*: -1} before=${*: -2:1}
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=() opted=''
	"_$1" "$1" "$last" "$before"
	printf '%s\n' "${COMPREPLY[@]}" >offered
}

# offers WORDS OF-COMMAND-LINE...: exactly these words, in any order.
program=gcrypt
offers() {
	local want=$1
	shift
	complete_words $program "$@"
	diff <(sort offered) <(tr " " "\n" <<<"$want" | sort) >difference ||
		give_up "for $* bash offers: $(cat difference)"
}

# options PROGRAM COMMAND: every spelling that the help text has.
options() {
	"$1" "$2" --help=all | grep -oE '^  ((-.,|   ) --[^ ]*|-[a-zA-Z] )' | while read -r first second; do
		name=${second:-$first}
		name=${name%%\[=*}
		case $name in
		--\[no-\]*) printf '%s\n' "--no-${name#*\]}" "--${name#*\]}" ;;
		*) echo "$name" ;;
		esac
		[ -z "$second" ] || echo "${first%,}"
	done
}

line_end=$'\n'

# check_commands PROGRAM N: it has at least N commands, and all shells know their options.
check_commands() {
	mapfile -t commands < <("$1" --help | sed -n "s/^  $program \\([a-z]*\\) .*/\\1/p")
	[ ${#commands[@]} -ge "$2" ] || give_up "commands: ${commands[*]}"
	offers "${commands[*]} --help --version" ""
	for command in "${commands[@]}"; do
		[ "$command" != study ] || continue # a program of its own, ppf-study
		options "$1" "$command" >want
		[ -s want ] || give_up "no options in the help of $command"
		offers "$(grep -e '^--' want)" "$command" --
		offers "$(cat want)" "$command" -
		zsh_part=$(sed -n "/^\t\t$command)\$/,/;;\$/p" "$files/$program.zsh") # of the file, this command's
		fish_part=$(grep -E "__${program}_is [a-z ]*\b$command\b" "$files/$program.fish")
		while read -r option; do
			[[ $zsh_part =~ ${line_end}[[:space:]]*"'"\*?"$option"(=-?|\+)?"[" ]] ||
				give_up "zsh: $command has no $option"
			case $option in
			--*) pattern=" -l ${option#--}( |$line_end)" ;;
			*) pattern=" -s ${option#-}( |$line_end)" ;;
			esac
			[[ $fish_part$line_end =~ $pattern ]] || give_up "fish: $command has no $option"
		done <want
	done
}
check_commands "$GCRYPT" 13
offers "dec devices" de

# Values; behind = too, which is a word of its own.
offers "aes auto" enc --cipher a
offers camellia enc --cipher = c
offers "128 192 256" enc --bits =
offers "auto all" bench --engine a
offers "env: file: fd: cmd:" dec --passphrase ""
[ "$opted" = "-o nospace" ] || give_up "a space would follow: $opted"
offers "" enc --threads ""
[ -z "$opted" ] || give_up "a number is $opted"
offers "list add remove change id" key ""
for line in "enc x" "enc --key-file x" "dec -o x" "key list x" "dec --passphrase file : x" \
	"enc --zstd x" "enc --force x"; do
	offers "" $line
	[ "$opted" = "-o default" ] || give_up "$line: no file names but '$opted'"
done
offers "" enc --output-dir x
[ "$opted" = "-o dirnames" ] || give_up "no folders but '$opted'"

offers "--output --output-dir" enc x --output

# The program takes what is offered.
bytes 8192 >plain
for option in --cipher --bits --mode --engine --table-space --key-space --kdf-cost --sector-size; do
	complete_words gcrypt enc "$option" ""
	while read -r value; do
		terms=(--key-file key)
		case $option in
		--kdf-cost) terms=(--passphrase env:HOME) ;;
		--sector-size) terms=(--detached --mode xts --key-file key -o image) ;;
		esac
		expect_exit 0 "$GCRYPT" enc --dry-run "${terms[@]}" "$option" "$value" plain
	done <offered
done

# ppf: as gcrypt.
program=ppf ppf=$(dirname "$GCRYPT")/ppf
# shellcheck disable=SC1091
. "$files/ppf.bash"
check_commands "$ppf" 5
offers "core thesis" predict --counts ""
offers "local constant argument" predict --key-space =
offers "gtx580 gtx280 h100 h200 cpu" predict --device ""
[ "$opted" = "-o default" ] || give_up "no file names but '$opted'"
for option in --bits --counts --mode --key-space --device; do
	complete_words ppf predict "$option" ""
	others=(--cipher aes --size 1M)
	[ "$option" = --device ] || others+=(--device gtx580)
	while read -r value; do
		"$ppf" predict "${others[@]}" "$option" "$value" >out 2>err ||
			give_up "ppf predict $option $value: $(cat err)"
	done <offered
done

# The shells that are there find no fault, and fish offers the same.
if command -v zsh >/dev/null; then
	zsh -n "$files/gcrypt.zsh"
	zsh -n "$files/ppf.zsh"
fi
if command -v fish >/dev/null; then
	export HOME=$PWD XDG_CONFIG_HOME=$PWD XDG_DATA_HOME=$PWD
	fish -c "source $files/gcrypt.fish; complete -C 'gcrypt enc --cipher '" >out
	[ "$(cut -f 1 out | sort | xargs)" = "aes auto camellia sc2000" ] || give_up "fish: $(cat out)"
	fish -c "source $files/gcrypt.fish; complete -C 'gcrypt d'" >out
	[ "$(cut -f 1 out | sort | xargs)" = "dec devices" ] || give_up "fish: $(cat out)"
	fish -c "source $files/ppf.fish; complete -C 'ppf predict --counts '" >out
	[ "$(cut -f 1 out | sort | xargs)" = "core thesis" ] || give_up "fish: $(cat out)"
fi
if command -v shellcheck >/dev/null; then
	shellcheck "$files/gcrypt.bash" "$files/ppf.bash"
fi
