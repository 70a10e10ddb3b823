#!/usr/bin/env python3
"""Reads and writes gcrypt containers (gcrypt(5), inline layout): a test oracle.

Written from the description of the format alone, with Python's standard library and, for the
block ciphers, libcrypto's ECB and CTR.  Poly1305, XTS, key wrap and key derivation are written
out here, so that nothing but the ciphers is shared with the program under test.  Slow, and not
careful with secrets: for tests only.

    peer.py enc [options] KEY IN OUT       IN, OUT: a file, or - for standard input, output
    peer.py dec KEY IN OUT
    peer.py xts decrypt|encrypt aes|camellia KEYHEX UNIT FIRST STEP IN OUT
    peer.py selftest

KEY is a key file (32 bytes, or 64 hexadecimal digits and a newline) or env:NAME for a passphrase.
Exit: 0, 4 corrupt, 5 no slot opened, 7 unknown, as gcrypt itself; 2 usage.
"""
import argparse
import ctypes
import hashlib
import hmac
import os
import sys

MAGIC = bytes.fromhex("894743520d0a1a0a")
PAGE_MAGIC = bytes.fromhex("894743500d0a1a0a")
CIPHERS = {"aes": 1, "camellia": 2}
MODES = {"ecb": 1, "ctr": 2, "xts": 3}
UNKNOWN_LENGTH = 2**64 - 1
COPY, SLOT, PAGE, UNIT = 8192, 960, 4096, 4096


class Refused(Exception):
    def __init__(self, code, why):
        super().__init__(why)
        self.code = code


# ---- block ciphers: libcrypto ------------------------------------------------------------------

crypto = ctypes.CDLL("libcrypto.so.3")
crypto.EVP_CIPHER_CTX_new.restype = ctypes.c_void_p
crypto.EVP_CIPHER_fetch.restype = ctypes.c_void_p


def evp(name, key, iv, text, encrypting=True):
    """One call of a libcrypto cipher without padding."""
    if not text:
        return b""
    context = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())
    cipher = ctypes.c_void_p(crypto.EVP_CIPHER_fetch(None, name.encode(), None))
    if not cipher.value:
        raise Refused(7, f"libcrypto has no {name}")
    out, n = ctypes.create_string_buffer(len(text) + 32), ctypes.c_int(0)
    good = (
        crypto.EVP_CipherInit_ex2(context, cipher, key, iv, int(encrypting), None) == 1
        and crypto.EVP_CIPHER_CTX_set_padding(context, 0) == 1
        and crypto.EVP_CipherUpdate(context, out, ctypes.byref(n), text, len(text)) == 1
    )
    crypto.EVP_CIPHER_CTX_free(context)
    crypto.EVP_CIPHER_free(cipher)
    if not good or n.value != len(text):
        raise RuntimeError(f"libcrypto refused {name}")
    return out.raw[: n.value]


def ecb(cipher, key, text, encrypting=True):
    return evp(f"{cipher}-{8 * len(key)}-ecb", key, None, text, encrypting)


def ctr(cipher, key, iv, text):
    return evp(f"{cipher}-{8 * len(key)}-ctr", key, iv, text)


def xor(a, b):
    return (int.from_bytes(a, "big") ^ int.from_bytes(b, "big")).to_bytes(len(a), "big")


def xts_unit(cipher, keys, tweak, text, encrypting):
    """One data unit of IEEE 1619, ciphertext stealing included."""
    k1, k2 = keys[: len(keys) // 2], keys[len(keys) // 2 :]
    t = int.from_bytes(ecb(cipher, k2, tweak.to_bytes(16, "little")), "little")
    masks = []
    for _ in range(-(-len(text) // 16)):
        masks.append(t.to_bytes(16, "little"))
        t = t << 1 if t < 1 << 127 else (t << 1) ^ (1 << 128 | 0x87)

    def blocks(text, mask):
        return xor(ecb(cipher, k1, xor(text, mask), encrypting), mask)

    tail = len(text) % 16
    if not tail:
        return blocks(text, b"".join(masks))
    whole = len(text) - tail - 16  # blocks before the two that share
    first, second = masks[-2:] if encrypting else (masks[-1], masks[-2])
    out = blocks(text[:whole], b"".join(masks[: whole // 16])) if whole else b""
    middle = blocks(text[whole : whole + 16], first)
    last = blocks(text[whole + 16 :] + middle[tail:], second)
    return out + last + middle[:tail]


def xts(cipher, keys, first, step, unit, text, encrypting):
    return b"".join(
        xts_unit(cipher, keys, first + step * (at // unit), text[at : at + unit], encrypting)
        for at in range(0, len(text), unit)
    )


# ---- hashes, tags, keys ------------------------------------------------------------------------


def mac(key, text):
    return hmac.new(key, text, hashlib.sha256).digest()


def expand(prk, info, length):
    out, block = b"", b""
    while len(out) < length:
        block = mac(prk, block + info + bytes([len(out) // 32 + 1]))
        out += block
    return out[:length]


def hkdf(salt, secret, info, length=32):
    return expand(mac(salt, secret), info, length)


def poly1305(r, s, text):
    """RFC 8439, section 2.5."""
    r = int.from_bytes(r, "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for at in range(0, len(text), 16):
        block = text[at : at + 16] + b"\1"
        total = (total + int.from_bytes(block, "little")) * r % (2**130 - 5)
    return ((total + int.from_bytes(s, "little")) % 2**128).to_bytes(16, "little")


def wrap(kek, key):
    """RFC 3394, section 2.2.1."""
    a, r = b"\xa6" * 8, [key[i : i + 8] for i in range(0, len(key), 8)]
    for t in range(6 * len(r)):
        i = t % len(r)
        b = ecb("aes", kek, a + r[i])
        a, r[i] = xor(b[:8], (t + 1).to_bytes(8, "big")), b[8:]
    return a + b"".join(r)


def unwrap(kek, wrapped):
    """RFC 3394, section 2.2.2; None when the check value is wrong."""
    a, r = wrapped[:8], [wrapped[i : i + 8] for i in range(8, len(wrapped), 8)]
    for t in reversed(range(6 * len(r))):
        i = t % len(r)
        b = ecb("aes", kek, xor(a, (t + 1).to_bytes(8, "big")) + r[i], False)
        a, r[i] = b[:8], b[8:]
    return b"".join(r) if a == b"\xa6" * 8 else None


class Secret:
    def __init__(self, name):
        if name.startswith("env:"):
            self.type, self.bytes = 1, os.environb[os.fsencode(name[4:])]
            return
        self.type, self.bytes = 2, open(name, "rb").read()
        if len(self.bytes) == 65 and self.bytes.endswith(b"\n"):
            self.bytes = bytes.fromhex(self.bytes.decode())
        if len(self.bytes) != 32:
            raise Refused(2, f"{name}: not a key file")

    def kek(self, slot_salt, log2_n, p, file_salt):
        if self.type == 2:
            return hkdf(slot_salt, self.bytes, b"gcrypt/1 keyfile" + file_salt)
        return hashlib.scrypt(
            self.bytes, salt=slot_salt, n=1 << log2_n, r=8, p=p, maxmem=2**31 - 1, dklen=32
        )


class FileKeys:
    def __init__(self, file_key, first64):
        prk = mac(first64[32:64], file_key)  # HKDF-Extract with the file salt
        self.header = expand(prk, b"gcrypt/1 header" + first64, 32)
        self.root = expand(prk, b"gcrypt/1 root" + first64, 32)
        self.group = expand(prk, b"gcrypt/1 group" + first64, 32)


class GroupKeys:
    def __init__(self, file_keys, number, salt):
        k = expand(file_keys.group, b"gcrypt/1 keys" + number.to_bytes(8, "little") + salt, 144)
        self.cipher, self.r, self.tag, self.page = k[:64], k[64:80], k[80:112], k[112:]

    def tags(self, payload, chunk):
        n = -(-len(payload) // chunk)
        masks = ctr("aes", self.tag, bytes(16), bytes(16 * n))
        return [
            poly1305(self.r, masks[16 * i : 16 * i + 16], payload[i * chunk : (i + 1) * chunk])
            for i in range(n)
        ]

    def crypt(self, suite, text, encrypting):
        cipher, mode, k = suite
        if mode == "ctr":
            return ctr(cipher, self.cipher[:k], bytes(16), text)
        if mode == "ecb":
            return ecb(cipher, self.cipher[:k], text, encrypting)
        return xts(cipher, self.cipher[: 2 * k], 0, 1, UNIT, text, encrypting)


# ---- header ------------------------------------------------------------------------------------


def le(text):
    return int.from_bytes(text, "little")


def check_form(copy):
    if copy[:8] != MAGIC:
        raise Refused(4, "no magic")
    if le(copy[8:10]) != 1 or copy[10] > 1 or copy[11] > 2:
        raise Refused(7, "unknown version, layout or content")
    if copy[12] not in (1, 2, 3) or copy[14] not in (1, 2, 3) or copy[15] != 1 or any(copy[20:24]):
        raise Refused(7, "unknown cipher, mode, tag or flag")
    chunk, group = copy[16], copy[17]
    if copy[13] not in (16, 24, 32) or not 12 <= chunk <= 20:
        raise Refused(4, "sizes out of range")
    if not chunk <= group <= min(chunk + 7, 26) or copy[19]:
        raise Refused(4, "sizes out of range")
    if copy[10] == 0 and copy[18] or copy[10] == 1 and (copy[14] != 3 or not 9 <= copy[18] <= 12):
        raise Refused(4, "sector size does not fit the layout")
    if le(copy[64:72]) == 0 or any(copy[72:480]) or 2**63 <= le(copy[24:32]) < UNKNOWN_LENGTH:
        raise Refused(4, "sequence number, reserved bytes or length")
    if not all(map(slot_has_form, slots_of(copy))):
        raise Refused(4, "a malformed key slot")


def slots_of(copy):
    return [copy[480 + SLOT * i : 480 + SLOT * (i + 1)] for i in range(8)]


def slot_has_form(slot):
    if slot[0] == 0 or slot[0] > 4:
        return slot[0] > 4 or not any(slot)
    body = le(slot[4:6])
    cost = 10 <= slot[1] <= 24 and 1 <= slot[2] <= 16 if slot[0] == 1 else not any(slot[1:3])
    size = 256 <= body <= 512 and not any(slot[16:48]) if slot[0] == 4 else body == 40
    key_id = slot[8:16] if slot[0] < 3 else b""
    return cost and size and not any(slot[3:4] + slot[6:8] + key_id + slot[48 + body :])


def try_slot(slot, secret, file_salt):
    """The file key, or None."""
    if slot[0] != secret.type or slot[0] == 1 and slot[1] > 20:
        return None
    return unwrap(secret.kek(slot[16:48], slot[1], slot[2], file_salt), slot[48:88])


def open_header(copies, secret):
    """(chosen copy, FileKeys, note)."""
    failures, formed = [], []
    for copy in copies:
        try:
            check_form(copy)
            formed.append(copy)
        except Refused as refused:
            failures.append(refused)
    if not formed:
        raise max(failures, key=lambda refused: refused.code)
    opened, found = {}, False
    for copy in formed:
        for slot in slots_of(copy):
            at = (slot, copy[:64])
            if at not in opened:
                opened[at] = try_slot(slot, secret, copy[32:64])
            found = found or opened[at] is not None
    if not found:
        raise Refused(5, "no key slot opened")
    good = []
    for copy in formed:
        for (slot, first64), file_key in opened.items():
            if file_key is None or first64 != copy[:64]:
                continue
            keys = FileKeys(file_key, first64)
            if hmac.compare_digest(mac(keys.header, copy[:8160]), copy[8160:]):
                good.append((le(copy[64:72]), slot, copy, keys))
    if not good:
        raise Refused(4, "header MAC")
    newest = max(sequence for sequence, *_ in good)
    for sequence, slot, copy, keys in good:
        if sequence == newest and slot in slots_of(copy):
            same = len(copies) == 2 and copies[0] == copies[1]
            return copy, keys, "" if same else "one header copy is damaged or older"
    raise Refused(5, "the slot is not in the newest header")


# ---- reading -----------------------------------------------------------------------------------


def read_group(copy, keys, source, number):
    """(plaintext, final, root, page MAC) of the next group."""
    chunk, size = 1 << copy[16], 1 << copy[17]
    suite = ({1: "aes", 2: "camellia"}[copy[12]], {v: k for k, v in MODES.items()}[copy[14]], copy[13])
    page = source.read(PAGE)
    if len(page) != PAGE:
        raise Refused(4, f"group {number}: ends in its page")
    group = GroupKeys(keys, number, page[32:48])
    if not hmac.compare_digest(mac(group.page, page[:4064]), page[4064:]):
        raise Refused(4, f"group {number}: page MAC")
    n, flags, holes = le(page[16:24]), le(page[24:28]), le(page[48:64])
    final = flags & 1
    if page[:8] != PAGE_MAGIC or le(page[8:16]) != number or flags > 3 or any(page[28:32]):
        raise Refused(4, f"group {number}: page fields")
    if (not final and n != size) or n > size or (n == 0 and number != 0):
        raise Refused(4, f"group {number}: length")
    if any(page[96:128]) or any(page[2176:4064]) or (not final and any(page[64:96])):
        raise Refused(4, f"group {number}: reserved bytes")
    padded = n if suite[1] == "ctr" else -(-n // 16) * 16
    n_chunks = -(-padded // chunk)
    if (holes != 0) != (flags & 2 != 0) or holes >> n_chunks:
        raise Refused(4, f"group {number}: holes")
    payload = source.read(padded)
    if len(payload) != padded:
        raise Refused(4, f"group {number}: ends in its payload")
    plain, tags = group.crypt(suite, payload, False), group.tags(payload, chunk)
    out = bytearray(plain)
    for i in range(128):
        stored = page[128 + 16 * i : 144 + 16 * i]
        part = slice(i * chunk, min((i + 1) * chunk, padded))
        if i < n_chunks and not holes >> i & 1:
            if not hmac.compare_digest(stored, tags[i]):
                raise Refused(4, f"group {number}: tag of chunk {i}")
        elif any(stored):
            raise Refused(4, f"group {number}: unused tag {i}")
        elif i < n_chunks:
            if any(payload[part]):
                raise Refused(4, f"group {number}: hole {i} is not empty")
            out[part] = bytes(len(out[part]))
    if any(out[n:]):
        raise Refused(4, f"group {number}: filler")
    return bytes(out[:n]), final, page[64:96], page[4064:]


def decrypt(secret, source, sink):
    copies = [source.read(COPY), source.read(COPY)]
    if len(copies[1]) != COPY:
        raise Refused(4, "too short")
    copy, keys, note = open_header(copies, secret)
    if copy[10] != 0 or copy[12] == 3:
        raise Refused(7, "only inline AES and Camellia here")
    number, total, macs, final = 0, 0, b"", False
    while not final:
        plain, final, root, page_mac = read_group(copy, keys, source, number)
        total += len(plain)
        if final:
            if not hmac.compare_digest(mac(keys.root, macs), root):
                raise Refused(4, "root")
            if le(copy[24:32]) not in (UNKNOWN_LENGTH, total):
                raise Refused(4, "length is not the header's")
            if source.read(1):
                raise Refused(4, "bytes after the end")
        sink.write(plain)
        number, macs = number + 1, macs + page_mac
    if note:
        print(f"peer: warning: {note}", file=sys.stderr)


# ---- writing -----------------------------------------------------------------------------------


def make_slot(secret, file_key, file_salt, log2_n):
    salt = os.urandom(32)
    cost = bytes([log2_n, 1]) if secret.type == 1 else bytes(2)
    wrapped = wrap(secret.kek(salt, log2_n, 1, file_salt), file_key)
    slot = bytes([secret.type]) + cost + bytes(1) + (40).to_bytes(2, "little") + bytes(10) + salt
    return (slot + wrapped).ljust(SLOT, b"\0")


def header_bytes(options, secret, length, fault):
    first64 = MAGIC + (1).to_bytes(2, "little") + bytes([0, 0])
    first64 += bytes([CIPHERS[options.cipher], options.bits // 8, MODES[options.mode], 1])
    first64 += bytes([options.chunk_log2, options.group_log2, 0, 0]) + bytes(4)
    if fault == "length":
        length = length + 1
    first64 += (UNKNOWN_LENGTH if options.unknown_length else length).to_bytes(8, "little")
    first64 += os.urandom(32)
    file_key = os.urandom(32)
    slots = [make_slot(secret, file_key, first64[32:], options.log2_n)]
    if options.strange_slot:  # of a type that no release has: to be skipped
        slots.insert(0, bytes([77]) + os.urandom(SLOT - 1))
        slots.insert(1, bytes(SLOT))
    keys = FileKeys(file_key, first64)

    def copy(sequence):
        body = first64 + sequence.to_bytes(8, "little")
        body += b"\1".ljust(408, b"\0") if fault == "header-zeros" else bytes(408)
        body += b"".join(slots).ljust(8 * SLOT, b"\0")
        return body + mac(keys.header, body)

    return copy(1), copy(2 if options.older_copy else 1), keys


def write_group(options, keys, plain, number, last, root, fault):
    """page ‖ payload, page MAC; a fault is authentic but breaks a rule of the format."""
    chunk, size = 1 << options.chunk_log2, 1 << options.group_log2
    suite, salt = (options.cipher, options.mode, options.bits // 8), os.urandom(16)
    group, n = GroupKeys(keys, number, salt), len(plain)
    filler = bytes(0 if options.mode == "ctr" else -n % 16)
    if fault == "filler" and filler:
        filler = filler[:-1] + b"\1"
    payload = bytearray(group.crypt(suite, plain + filler, True))
    holes = 0
    for i in range(-(-len(payload) // chunk) if options.holes else 0):
        part = slice(i * chunk, min((i + 1) * chunk, len(payload)))
        if not any(plain[part]):
            payload[part] = bytes(len(payload[part]))
            holes |= 1 << i
            if fault == "hole-full":
                payload[part.start] = 1
    tags = group.tags(bytes(payload), chunk)
    tags = [bytes(16) if holes >> i & 1 else tag for i, tag in enumerate(tags)]
    if fault == "unused-tag":
        tags.append(b"\1" * 16)
    flags = (1 if last else 0) | (2 if holes else 0)
    at_fault = last  # the group that carries a fault of the page
    if at_fault and fault == "flag":
        flags |= 4
    if at_fault and fault == "holes-flag":
        flags |= 2
    if at_fault and fault == "not-final":
        flags &= ~1
    index = number + (1 if at_fault and fault == "index" else 0)
    stored_n = n + (1 if at_fault and fault == "n" else 0)
    magic = MAGIC if at_fault and fault == "page-magic" else PAGE_MAGIC
    page = magic + index.to_bytes(8, "little") + stored_n.to_bytes(8, "little")
    page += flags.to_bytes(4, "little") + bytes(4) + salt + holes.to_bytes(16, "little")
    page += (root if last else bytes(32)) + bytes(32) + b"".join(tags)
    page = bytearray(page.ljust(4064, b"\0"))
    for name, at in (("page-zeros-28", 28), ("page-zeros-96", 127), ("page-zeros-2176", 4063)):
        if fault == name:
            page[at] = 1
    if fault == "root-early" and not last:
        page[64] = 1
    page_mac = mac(group.page, bytes(page))
    assert len(plain) <= size
    return bytes(page) + page_mac + bytes(payload), page_mac


FAULTS = (
    "length header-zeros filler hole-full unused-tag flag holes-flag not-final index n page-magic "
    "page-zeros-28 page-zeros-96 page-zeros-2176 root-early root empty-tail trailing"
).split()


def encrypt(options, secret, source, sink):
    text, size, fault = source.read(), 1 << options.group_log2, options.fault
    groups = [text[at : at + size] for at in range(0, len(text), size)] or [b""]
    if fault == "empty-tail":
        groups.append(b"")
    copy_a, copy_b, keys = header_bytes(options, secret, len(text), fault)
    sink.write(copy_a + copy_b)
    macs = b""
    for number, plain in enumerate(groups):
        last = number == len(groups) - 1
        root = mac(keys.root, macs + (b"!" if fault == "root" else b""))
        out, page_mac = write_group(options, keys, plain, number, last, root, fault)
        sink.write(out)
        macs += page_mac
    if fault == "trailing":
        sink.write(b"\0")


# ---- command line ------------------------------------------------------------------------------


def selftest():
    key = bytes.fromhex("85d6be7857556d337f4452fe42d506a8")  # RFC 8439, 2.5.2
    s = bytes.fromhex("0103808afb0db2fd4abff6af4149f51b")
    tag = poly1305(key, s, b"Cryptographic Forum Research Group")
    assert tag.hex() == "a8061dc1305136c6c22b8baf0c0127a9"
    kek = bytes(range(32))  # RFC 3394, 4.6
    key = bytes.fromhex("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f")
    wrapped = wrap(kek, key)
    assert wrapped.hex() == (
        "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"
    )
    assert unwrap(kek, wrapped) == key and unwrap(bytes(32), wrapped) is None
    okm = hkdf(bytes(range(13)), b"\x0b" * 22, bytes(range(0xF0, 0xFA)), 42)  # RFC 5869, A.1
    assert okm.hex().startswith("3cb25f25faacd57a90434f64d0362f2a") and okm.hex().endswith("185865")
    for bits in (128, 256):
        for length in (16, 17, 31, 512, 517, 4095, 4096):
            keys, text = os.urandom(bits // 4), os.urandom(length)
            tweak = os.urandom(16)
            ours = xts_unit("aes", keys, le(tweak), text, True)
            assert ours == evp(f"aes-{bits}-xts", keys, tweak, text)
            assert text == xts_unit("aes", keys, le(tweak), ours, False)
    print("peer: selftest passed")


def open_files(source, sink):
    return (
        sys.stdin.buffer if source == "-" else open(source, "rb"),
        sys.stdout.buffer if sink == "-" else open(sink, "wb"),
    )


def xts_raw(options, text):
    """Raw XTS: unit by unit with libcrypto's AES-XTS where it has one, else with ours."""
    encrypting, unit = options.direction == "encrypt", options.unit
    if options.cipher == "aes" and len(options.keys) != 48:
        name = f"aes-{4 * len(options.keys)}-xts"
        return b"".join(
            evp(name, options.keys, (options.first + options.step * (at // unit)).to_bytes(16, "little"),
                text[at : at + unit], encrypting)
            for at in range(0, len(text), unit)
        )
    return xts(options.cipher, options.keys, options.first, options.step, unit, text, encrypting)


def main():
    parser = argparse.ArgumentParser(description="independent reader and writer of gcrypt containers")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("selftest")
    enc, dec, raw = verbs.add_parser("enc"), verbs.add_parser("dec"), verbs.add_parser("xts")
    enc.add_argument("--cipher", choices=CIPHERS, default="aes")
    enc.add_argument("--bits", type=int, choices=(128, 192, 256), default=256)
    enc.add_argument("--mode", choices=MODES, default="ctr")
    enc.add_argument("--chunk-log2", type=int, default=17)
    enc.add_argument("--group-log2", type=int, default=24)
    enc.add_argument("--log2-n", type=int, default=17, help="scrypt cost")
    enc.add_argument("--unknown-length", action="store_true", help="as if the input were a pipe")
    enc.add_argument("--strange-slot", action="store_true", help="a slot of an unknown type first")
    enc.add_argument("--older-copy", action="store_true", help="copy A one change behind copy B")
    enc.add_argument("--holes", action="store_true", help="leave chunks of zeros out")
    enc.add_argument("--fault", choices=FAULTS, help="an authentic container that breaks a rule")
    for verb in (enc, dec):
        verb.add_argument("key")
    raw.add_argument("direction", choices=("encrypt", "decrypt"))
    raw.add_argument("cipher", choices=CIPHERS)
    raw.add_argument("keys", type=bytes.fromhex)
    for number in ("unit", "first", "step"):
        raw.add_argument(number, type=int)
    for verb in (enc, dec, raw):
        verb.add_argument("source")
        verb.add_argument("sink")
    options = parser.parse_args()
    try:
        if options.verb == "selftest":
            selftest()
            return 0
        source, sink = open_files(options.source, options.sink)
        with source, sink:
            if options.verb == "xts":
                sink.write(xts_raw(options, source.read()))
            elif options.verb == "enc":
                encrypt(options, Secret(options.key), source, sink)
            else:
                decrypt(Secret(options.key), source, sink)
    except Refused as refused:
        print(f"peer: {refused}", file=sys.stderr)
        return refused.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
