#!/bin/bash
# A mistyped command, action, option or value: the message names the nearest one, and what can be chosen.
. "${BASH_SOURCE[0]%/*}/../lib.sh"

# answers TEXT WORD…: gcrypt rejects these words with this text.
answers() {
	expect_exit 2 "$GCRYPT" "${@:2}"
	says "$1"
}

# Names of the commands in age, zstd, tar, restic and git.
answers 'encrypt: unknown command: use gcrypt enc (see gcrypt --help)' encrypt a
answers 'decrypt: unknown command: use gcrypt dec ' decrypt a
answers 'extract: unknown command: use gcrypt dec ' extract a
answers 'check: unknown command: use gcrypt verify ' check a

# A word that was not finished, a letter too few, and two letters exchanged.
answers 'ver: unknown command: nearest is verify ' ver a
answers 'verfy: unknown command: nearest is verify ' verfy a
answers 'ecn: unknown command: nearest is enc ' ecn a
answers "key: unknown action 'lsit': nearest is list (choose from: list, add, remove" key lsit a
answers '--tbale: unknown option: nearest is --table ' enc --tbale 4 a
answers "unknown cipher 'camelia': nearest is camellia (choose from: auto, aes, camellia, sc2000)" enc --cipher camelia a
answers "unknown engine 'gpu' (choose from: auto, opencl, cpu, all)" enc --engine gpu a

# Sizes: the message lists the suffixes.
answers "--size: '256MB' is not a number of bytes (suffixes: K, M, G, T, or KiB, MiB, GiB, TiB)" advise --size 256MB
