#!/bin/bash
# The ranks of an MPI job as the runs of a manifest's parts, as docs/many-nodes.md has it: the command is the one of the
# page.  A file that cannot be read, and a rank that is killed, do not end the other ranks; what is missing runs again.
# shellcheck source=tests/nodes/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
need_mpi
make_key
bin=$(dirname "$GCRYPT")
export PATH=$bin:$PATH
python3 - "${BASH_SOURCE[0]%/*}/../../docs/many-nodes.md" <<'END'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
found = [block for block in re.findall(r"```bash\n(.*?)```", text, re.S) if "OMPI_COMM_WORLD_RANK" in block]
assert len(found) == 1, found
command = found[0].replace("-np 32", "--bind-to none -np 3").replace("backup.key", "key").replace("backup.gcm", "M")
assert command.count("-np 3 ") == 1, command
open("job", "w").write(command)
END
job() { timeout 120 bash ./job </dev/null >out 2>err; }
verified() { gcrypt verify --engine cpu --key-file key --manifest M >out && grep -q "^M: verified: $1 files" out; }

mkdir data
for ((i = 0; i < 40; i++)); do
	bytes $((i * 997)) "$i" >"data/$i"
done
find data -type f -print0 >list

# Three ranks, one manifest.
job || give_up "exit $?: $(cat err)"
! compgen -G 'M?*' >/dev/null || give_up "left: $(echo M?*)"
verified 40
no_file failed-*
# shellcheck disable=SC2012
[ "$(ls data/*.gcr | wc -l)" = 40 ] || give_up "containers"

# A file that is not there: the job fails, and all other files are done and recorded.
printf 'data/gone\0' >>list
for ((i = 0; i < 40; i++)); do echo more >>"data/$i"; done
! job || give_up "a missing file is no failure"
grep -q 'data/gone: .*No such file' err || give_up "$(cat err)"
grep -Eqx 'part [123]: exit 3' out || give_up "$(cat out)"
[ "$(echo failed-*/* | wc -w)" = 1 ] || give_up "$(echo failed-*/*)"
rm -r failed-*
verified 40
bytes 100 >data/gone
job || give_up "exit $?: $(cat err)"
verified 41
no_file failed-*

# A rank that is killed at one of its files: the others end, join names the part, the next job does what it has not done.
for ((i = 0; i < 40; i++)); do echo again >>"data/$i"; done
cp M before
sed "s|gcrypt enc|LD_PRELOAD=$GCRYPT_TEST_SHIM FAULT_UNDER=$PWD FAULT=fsync:\$((OMPI_COMM_WORLD_RANK == 1 ? 5 : 99)):kill gcrypt enc|" job >killed
! cmp -s job killed || give_up "the command has another form"
! timeout 120 bash ./killed </dev/null >out 2>err || give_up "a killed rank is no failure"
[ "$(cat failed-*/*)" = 'part 2: exit 137' ] || give_up "$(cat failed-*/*)"
rm -r failed-*
grep -q 'M: not joined: part 2 of 3 is missing or incomplete: run it again' err || give_up "$(cat err)"
same before M
sed 's|gcrypt enc|gcrypt enc -f|' job >again
timeout 120 bash ./again </dev/null >out 2>err || give_up "exit $?: $(cat err)"
verified 41
no_file failed-* M.files-*
for file in data/{0,7,13,20,39,gone}; do
	peer dec key "$file.gcr" back
	same "$file" back
done
