#!/bin/bash
# Archives made to write elsewhere are refused, and nothing is left; as is what is damaged.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)
peer=(--chunk-log2 12 --group-log2 13)

# Each archive: a name, then its entries as kind, name, and target or content.
cat >make.py <<'PY'
import io, sys, tarfile
outside = sys.argv[1]
kinds = {"dir": tarfile.DIRTYPE, "file": tarfile.REGTYPE, "sym": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE,
         "chr": tarfile.CHRTYPE, "blk": tarfile.BLKTYPE, "fifo": tarfile.FIFOTYPE, "cont": b"Z"}
archives = {
    "absolute": [("file", outside + "/x", "")],
    "dotdot": [("file", "../outside/x", "")],
    "dotdot-inside": [("dir", "a", ""), ("file", "a/../../outside/x", "")],
    "dotdot-end": [("dir", "a/..", "")],
    "one-hop": [("sym", "a", outside), ("file", "a/x", "")],
    "two-hops": [("dir", "d", ""), ("sym", "d/b", ".."), ("sym", "c", "d/b/../outside"), ("file", "c/x", "")],
    "through-itself": [("sym", "a", "."), ("sym", "a/b", ".."), ("file", "a/b/outside/x", "")],
    "replaced": [("dir", "a", ""), ("sym", "a", outside), ("file", "a/x", "")],
    "over-link": [("sym", "a", outside + "/there"), ("file", "a", "")],
    "hard-out": [("hard", "a", outside + "/there")],
    "hard-dotdot": [("hard", "a", "../outside/there")],
    "hard-to-link": [("sym", "a", outside + "/there"), ("hard", "b", "a"), ("file", "b", "")],
    "hard-through-link": [("sym", "a", outside), ("hard", "b", "a/there")],
    "hard-to-folder": [("dir", "a", ""), ("hard", "b", "a")],
    "character": [("chr", "null", "")],
    "block": [("blk", "disk", "")],
    "twice": [("file", "a", "1"), ("file", "a", "2")],
    "no-folder": [("file", "a/b", "")],
    "in-a-file": [("file", "a", ""), ("file", "a/b", "")],
    "empty-link": [("sym", "a", "")],
    "root-is-link": [("sym", ".", outside), ("file", "x", "")],
    "root-twice": [("dir", ".", ""), ("sym", "./", outside), ("file", "x", "")],
}
for name, entries in archives.items():
    with tarfile.open(name + ".tar", "w", format=tarfile.PAX_FORMAT) as archive:
        for kind, path, more in [("file", "first", "released by nobody")] + entries:
            info = tarfile.TarInfo("x")
            info.name, info.type = path, kinds[kind]
            if kind in ("sym", "hard"):
                info.linkname = more
            content = more.encode() if kind == "file" else b""
            info.size, info.devmajor, info.devminor = len(content), 1, 3
            info.mode = 0o755 if kind == "dir" else 0o644
            archive.addfile(info, io.BytesIO(content))
    print(name)
PY
mkdir outside
echo there >outside/there
before=$(ls -lR --time-style=full-iso outside)
python3 make.py "$PWD/outside" >names
mkdir in
while read -r name; do
	peer enc "${peer[@]}" --content 1 key "$name.tar" "in/$name.gcr"
	if [[ $name = character || $name = block ]]; then # left out, and named
		refused 3 'is left out: a device (see --devices)' dec "${k[@]}" "in/$name.gcr"
		[ "$(ls -A "in/$name")" = first ] || give_up "$name made $(ls -A "in/$name")"
		rm -r "in/$name"
	else
		expect_exit 4 "$GCRYPT" dec "${k[@]}" "in/$name.gcr"
	fi
	[ "$(ls -A in)" = "$name.gcr" ] || give_up "$name left $(ls -A in)"
	[ "$(ls -lR --time-style=full-iso outside)" = "$before" ] || give_up "$name wrote outside"
	rm "in/$name.gcr"
done <names
[ "$(wc -l <names)" -eq 22 ] || give_up "archives"

# A device is made only for who asks for it (and may: root may not everywhere).
peer enc "${peer[@]}" --content 1 key character.tar in/c.gcr
if [ "$(id -u)" -eq 0 ] && mknod in/probe c 1 3 2>err; then
	rm in/probe
	expect_exit 0 "$GCRYPT" dec --devices "${k[@]}" in/c.gcr
	[ -c in/c/null ] || give_up "no device"
	rm -r in/c
fi

# Neither archive nor zstd, and archives that end early.
bytes 30000 >noise
"$GCRYPT" enc "${small[@]}" "${k[@]}" -q -o one.gcr outside
"$GCRYPT" dec "${k[@]}" -o - one.gcr >one.tar
head -c 1000 one.tar >short.tar
: >nothing
for content in 1 2; do
	for file in noise short.tar one.tar nothing; do
		[ "$content $file" != '1 one.tar' ] || continue
		peer enc "${peer[@]}" --content $content key $file in/x.gcr
		expect_exit 4 "$GCRYPT" dec "${k[@]}" in/x.gcr
		expect_exit 4 "$GCRYPT" list "${k[@]}" in/x.gcr >listed
		no_file in/x
	done
done

# A container that is damaged in its last group: nothing of the first ones is there.
mkdir tree
for i in {1..20}; do bytes 5000 "$i" >tree/"$i"; done
"$GCRYPT" enc -f "${small[@]}" "${k[@]}" -q -o in/x.gcr tree
flip in/x.gcr $(($(stat -c %s in/x.gcr) - 100))
refused 4 'a chunk is damaged' dec "${k[@]}" in/x.gcr
"$GCRYPT" enc -f "${small[@]}" "${k[@]}" -q -o in/x.gcr tree
truncate -s -1 in/x.gcr
refused 4 truncated dec "${k[@]}" in/x.gcr
expect_exit 4 "$GCRYPT" dec "${k[@]}" -o "$PWD/y" - <in/x.gcr
rm in/c.gcr
[ "$(ls -A in)" = x.gcr ] || give_up "left $(ls -A in)"
[ "$(ls -lR --time-style=full-iso outside)" = "$before" ] || give_up "wrote outside"
