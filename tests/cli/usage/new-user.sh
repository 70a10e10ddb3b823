#!/bin/bash
# What a new user does in the first week: a nightly backup from cron, one file restored, a damaged backup noticed, a run
# that was killed continued.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
PATH=$(dirname "$GCRYPT"):$PATH
gcrypt keygen -o backup.key
mkdir -p home/letters backups
echo 'Dear Anna' >home/letters/anna.txt
bytes 3000000 >home/photo.jpg

# Every night: an archive with a name of its own; what happened is in the log; cron sends mail if there are words.
cat >nightly <<TEXT
#!/bin/sh
gcrypt enc -q --zstd --key-file $PWD/backup.key --log $PWD/backups/log -o $PWD/backups/home-\$1.gcr $PWD/home
TEXT
for day in mon tue wed; do
	echo "$day" >home/diary.txt
	env -i PATH="$PATH" HOME="$PWD" sh nightly "$day" >mail 2>&1 </dev/null
	[ ! -s mail ] || give_up "cron would send: $(cat mail)"
done
expect 6 'exists' env -i PATH="$PATH" HOME="$PWD" sh nightly wed </dev/null
python3 - <<'TEXT' || give_up "the log"
import json
log = [json.loads(line) for line in open("backups/log")]
assert [entry["status"] for entry in log] == [0, 0, 0, 6]
assert len({entry["digest"] for entry in log[:3]}) == 3
assert log[0]["bytes"] > 3000000 and log[0]["output"].endswith("/backups/home-mon.gcr")
TEXT

# One file, of one night.
gcrypt list --key-file backup.key backups/home-tue.gcr | grep -x 'diary.txt' >/dev/null || give_up "not listed"
gcrypt dec --key-file backup.key -o restored backups/home-tue.gcr -- diary.txt
[ "$(cat restored/diary.txt)" = tue ] || give_up "restored: $(find restored -type f)"

# All are verified; then one is damaged, which is noticed, and the others are good.
gcrypt verify --key-file backup.key backups/*.gcr >out 2>err
[ "$(grep -c ': verified: ' out)" -eq 3 ] || give_up "$(cat out)"
flip backups/home-mon.gcr 200000
expect 4 'home-mon.gcr: corrupt at byte' gcrypt verify --key-file backup.key backups/*.gcr >out
says '3 files: 2 done, 1 failed'
expect_exit 4 gcrypt dec --key-file backup.key -o again backups/home-mon.gcr
no_file again

# A large image; the machine goes down in the middle; the next run continues.
bytes 40000000 >disk.img
gcrypt enc --resume --bwlimit 20M --group-log2 20 --key-file backup.key disk.img 2>/dev/null &
pid=$!
begun() { [ "$(stat -c %s disk.img.gcr.part 2>/dev/null || echo 0)" -gt 5000000 ]; }
soon begun || give_up "not begun"
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
no_file disk.img.gcr
expect_exit 0 gcrypt enc --resume --group-log2 20 --key-file backup.key disk.img
grep -Eq 'disk.img: [0-9.]+ MB of 40.0 MB had been done by an earlier run' err || give_up "$(cat err)"
gcrypt dec --key-file backup.key -o back disk.img.gcr
same disk.img back
