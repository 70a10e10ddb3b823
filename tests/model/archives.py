"""Containers of hostile archives: python3 archives.py CASE OUT.gcr [N]; the key file is ./key.

The archives are Python's, the containers the independent writer's.
"""
import io
import os
import subprocess
import sys
import tarfile

from model.reader import read_secret
from model.writer import Draft

# Revision 2, effective, permitted: CAP_DAC_OVERRIDE (linux/capability.h).
CAPABILITY = "\x01\x00\x00\x02\x02" + "\x00" * 15
BYTES = {"hdrcharset": "BINARY"}  # else libarchive converts names, and drops some characters
INVISIBLE = [0x80, 0x85, 0x9B, 0xAD, 0x200B, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2066, 0x2069, 0xFEFF, 0xFE0F, 0xE0001, 0xE007F]


def entry(name, type_=tarfile.REGTYPE, mode=0o644, data=b"", pax=None, link=""):
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.size, info.linkname, info.pax_headers = type_, mode, len(data), link, pax or {}
    return info, data


def folder(name, mode=0o755):
    return entry(name, tarfile.DIRTYPE, mode)


def archive(*entries, form=tarfile.PAX_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for info, data in (folder("./"), *entries):
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zstd(content, *options):
    return subprocess.run(["zstd", "-q", "-c", *options], input=content, stdout=subprocess.PIPE, check=True).stdout


def sparse_map(n, extents, data=b"", size=0):
    """A file by its map (GNU sparse 1.0): n extents, a line each for offset and length."""
    content = b"%d\n" % n + extents
    pax = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "s", "GNU.sparse.realsize": str(size)}
    return archive(entry("s", data=content + bytes(-len(content) % 512) + data, pax=pax))


def old_sparse_map(n):
    """The same in n blocks of 21 extents (GNU's old form)."""
    info, _ = entry("s")
    head = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    extents = (b"%011o\0" % 0) * 2
    head[156:157], head[386:482], head[482], head[483:495] = b"S", extents * 4, 1, b"%011o\0" % 0
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    more = extents * 21 + b"\1" + bytes(7)
    return archive()[:512] + bytes(head) + more * n + extents * 21 + bytes(8 + 1024)


def layers(n):
    content = archive(entry("a", data=b"text"))
    for _ in range(n):
        content = zstd(content)
    return content


def permissions(uid):
    entries = [folder("d", 0o7777), entry("suid", mode=0o4755), entry("sgid", mode=0o2755), entry("open", mode=0o666),
               entry("plain", mode=0o600, pax={"SCHILY.xattr.user.u": "v"}), entry("second", tarfile.LNKTYPE, 0o6777, link="suid"),
               entry("acl", mode=0o600, pax={"SCHILY.acl.access": "user::rwx,group::rwx,mask::rwx,other::rwx,user::12345:rwx:12345"}),
               entry("cap", mode=0o755, pax={"SCHILY.xattr.security.capability": CAPABILITY}),
               entry("trusted", pax={"SCHILY.xattr.trusted.t": "v"})]
    for info, _ in entries:
        info.uid = info.gid = uid
    return archive(*entries)


def device():
    info, _ = entry("null", tarfile.CHRTYPE)
    info.devmajor, info.devminor = 1, 3
    return archive((info, b""))


def nest(n):
    """Folders in folders, each with an attribute and a name of its owner of almost 1 MB together, the most that libarchive reads."""
    pax = {"SCHILY.xattr.user.a": "A" * 500000, "uname": "B" * 400000}
    return archive(*(entry("d/" * i, tarfile.DIRTYPE, 0o755, pax=pax) for i in range(1, n + 1)))


CASES = {  # content (1: pax, 2: pax in zstd), archive
    "map": lambda n: (2, zstd(sparse_map(n, b"0\n0\n" * n), "-3")),
    "old-map": lambda n: (2, zstd(old_sparse_map(n), "-3")),
    "plain-map": lambda n: (1, sparse_map(n, b"0\n0\n" * n)),
    "beyond": lambda n: (1, sparse_map(2, b"0\n5\n%d\n5\n" % n, b"firstafter", 10)),
    "layers": lambda n: (2, layers(n)),
    "deep": lambda n: (1, archive(folder("d/" * n), form=tarfile.GNU_FORMAT)),
    "long-file": lambda n: (1, archive(entry("n/" * (n // 2 - 1) + "n" * (2 + n % 2)))),
    "nest": lambda n: (2, zstd(nest(n))),
    "data": lambda n: (2, zstd(archive(entry("big", data=bytes(n)), entry("small", data=b"text")))),
    "folders": lambda n: (1, archive(*(folder(str(i)) for i in range(n)), entry("secret", data=b"secret " * 100000))),
    "permissions": lambda n: (1, permissions(n)),
    "device": lambda n: (1, device()),
    "names": lambda n: (1, archive(*(entry(f"a{chr(point)}b", pax=BYTES) for point in INVISIBLE), entry("\u202egnp.exe", pax=BYTES),
                                   entry("ünï", pax=BYTES), entry("link", tarfile.SYMTYPE, pax=BYTES, link="\u202etarget"))),
    "bad-name": lambda n: (1, archive(entry("../\u202egnp\u200b.exe", pax=BYTES))),
}


def main():
    content, plain = CASES[sys.argv[1]](int(sys.argv[3]) if len(sys.argv) > 3 else 0)
    draft = Draft(read_secret("key"), plain, os.urandom, "aes", 256, "ctr", 12, 16)
    draft.fields["content"] = content
    with open(sys.argv[2], "wb") as file:
        file.write(draft.bytes())


main()
