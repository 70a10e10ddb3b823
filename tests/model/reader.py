"""Reads gcrypt containers (gcrypt(5)), written from the description alone."""
import hashlib
import hmac
import os
from pathlib import Path

from model.primitives import Refused, ctr, ecb, expand, hkdf, le, mac, poly1305, unwrap, xts
from model.recipients import Key

MAGIC = bytes.fromhex("894743520d0a1a0a")
PAGE_MAGIC = bytes.fromhex("894743500d0a1a0a")
CIPHERS = {"aes": 1, "camellia": 2}
MODES = {"ecb": 1, "ctr": 2, "xts": 3}
UNKNOWN_LENGTH = 2**64 - 1
COPY, SLOT, PAGE, UNIT = 8192, 960, 4096, 4096


class Secret:
    def __init__(self, type, content):
        """type: that of its key slots; content: bytes, or of types 3 to 5 a Key."""
        self.type, self.bytes = type, content

    def open(self, slot, file_salt):
        """The file key in a slot of the secret's type, or None."""
        if self.type > 2:
            body = slot[48 : 48 + le(slot[4:6])]
            mine = slot[8:16] in (self.bytes.id, bytes(8))  # zero: an anonymous slot
            return self.bytes.open(slot[16:48], body, file_salt) if mine else None
        return unwrap(self.kek(slot[16:48], slot[1], slot[2], file_salt), slot[48:88])

    def kek(self, slot_salt, log2_n, p, file_salt):
        if self.type == 2:
            return hkdf(slot_salt, self.bytes, b"gcrypt/1 keyfile" + file_salt)
        return hashlib.scrypt(
            self.bytes, salt=slot_salt, n=1 << log2_n, r=8, p=p, maxmem=2**31 - 1, dklen=32
        )


def read_secret(name):
    """A key file (32 bytes, or 64 hexadecimal digits and a newline), env:NAME: a passphrase, or
    pem:FILE: an X25519 or RSA key."""
    if name.startswith("pem:"):
        key = Key(name[4:])
        return Secret(key.type, key)
    if name.startswith("env:"):
        return Secret(1, os.environb[os.fsencode(name[4:])])
    content = Path(name).read_bytes()
    if len(content) == 65 and content.endswith(b"\n"):
        content = bytes.fromhex(content.decode())
    if len(content) != 32:
        raise Refused(2, f"{name}: not a key file")
    return Secret(2, content)


class FileKeys:
    def __init__(self, file_key, first64):
        prk = mac(first64[32:64], file_key)  # HKDF-Extract with the file salt
        self.header = expand(prk, b"gcrypt/1 header" + first64, 32)
        self.root = expand(prk, b"gcrypt/1 root" + first64, 32)
        self.group = expand(prk, b"gcrypt/1 group" + first64, 32)
        self.volume = expand(prk, b"gcrypt/1 volume" + first64, 64)


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


def check_form(copy):
    if copy[:8] != MAGIC:
        raise Refused(4, "no magic")
    if le(copy[8:10]) != 1 or copy[10] > 1 or copy[11] > 4:
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


def whole_slots(copy):
    """The slots, with what continues those of type 6; without that their body is cut off."""
    slots = slots_of(copy)
    for i, slot in enumerate(slots):
        if slot[0] == 6 and i < 7 and slots[i + 1][0] == 18 and not any(slots[i + 1][1:48] + slots[i + 1][264:]):
            slots[i] += slots[i + 1][48:]
    return slots


def members_of(slot):
    """The slots of types 3 and 5 that a shared slot stands for, else the slot itself; None: malformed."""
    if slot[0] != 17:
        return [slot]
    body, members = slot[48 : 48 + le(slot[4:6])], []
    while body:
        kind, n = body[0], body[1] if len(body) > 1 else 0
        if kind not in (3, 5) or n == 0 or len(body) < 34 + 48 * n:
            return None
        for at in range(34, 34 + 48 * n, 48):
            start = bytes([kind, 0, 0, 0, 40, 0, 0, 0]) + body[at : at + 8] + body[2:34]
            members.append((start + body[at + 8 : at + 48]).ljust(SLOT, b"\0"))
        body = body[34 + 48 * n :]
    return members


def slot_has_form(slot):
    if slot[0] == 17:
        body = le(slot[4:6])
        zeros = slot[1:4] + slot[6:48] + slot[48 + body :]
        return 82 <= body <= 912 and not any(zeros) and members_of(slot) is not None
    if slot[0] == 0 or slot[0] > 6:
        return slot[0] > 6 or not any(slot)
    body = le(slot[4:6])
    cost = 10 <= slot[1] <= 24 and 1 <= slot[2] <= 16 if slot[0] == 1 else not any(slot[1:3])
    size = 256 <= body <= 512 and not any(slot[16:48]) if slot[0] == 4 else body == (1128 if slot[0] == 6 else 40)
    key_id = slot[8:16] if slot[0] < 3 else b""
    return cost and size and not any(slot[3:4] + slot[6:8] + key_id + slot[48 + body :])


def labels_of(copy):
    """{number of a key slot: its label}, from the slot of type 16."""
    found = {}
    for labels in (slot for slot in slots_of(copy) if slot[0] == 16):
        for number, slot in enumerate(slots_of(copy)):
            entry = labels[16 + 104 * number : 16 + 104 * (number + 1)]
            if slot[0] and entry[8] and entry[:8] == hashlib.sha256(slot).digest()[:8]:
                found[number] = entry[8:].rstrip(b"\0").decode()
    return found


def cost(slot):
    """N * p of scrypt."""
    return slot[2] << slot[1] if slot[0] == 1 else 0


def worth_trying(slot, secret, spent):
    """The reader's limits: 1 GiB for one slot, N * p of 2^21 for all that are tried."""
    return slot[0] == secret.type and not (slot[0] == 1 and (slot[1] > 20 or spent + cost(slot) > 1 << 21))


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
    opened, found, spent = {}, False, 0
    for copy in formed:
        for slot, member in ((slot, member) for slot in whole_slots(copy) for member in members_of(slot)):
            at = (slot, member, copy[:64])
            if at not in opened:
                opened[at] = None
                if worth_trying(member, secret, spent):
                    spent += cost(member)
                    opened[at] = secret.open(member, copy[32:64])
            found = found or opened[at] is not None
    if not found:
        raise Refused(5, "no key slot opened")
    good = []
    for copy in formed:
        for (slot, _, first64), file_key in opened.items():
            if file_key is None or first64 != copy[:64]:
                continue
            keys = FileKeys(file_key, first64)
            if hmac.compare_digest(mac(keys.header, copy[:8160]), copy[8160:]):
                good.append((le(copy[64:72]), slot, copy, keys))
    if not good:
        raise Refused(4, "header MAC")
    newest = max(sequence for sequence, *_ in good)
    for sequence, slot, copy, keys in good:
        if sequence == newest and slot in whole_slots(copy):
            same = len(copies) == 2 and copies[0] == copies[1]
            return copy, keys, "" if same else "one header copy is damaged or older"
    raise Refused(5, "the slot is not in the newest header")


# ---- reading -----------------------------------------------------------------------------------


def name_of(numbers, number):
    return next(name for name, n in numbers.items() if n == number)


def read_group(copy, keys, page, source, number):
    """(plaintext, final, root, page MAC) of a group, of whose page the first byte was read."""
    chunk, size = 1 << copy[16], 1 << copy[17]
    suite = (name_of(CIPHERS, copy[12]), name_of(MODES, copy[14]), copy[13])
    page += source.read(PAGE - len(page))
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
    if (holes != 0) != (flags & 2 != 0) or holes >> n_chunks or copy[10] == 1 and holes:
        raise Refused(4, f"group {number}: holes")
    payload = source.read(padded)
    if len(payload) != padded:
        raise Refused(4, f"group {number}: ends in its payload")
    if copy[10] == 1:
        unit = 1 << copy[18]
        plain = xts(suite[0], keys.volume[: 2 * copy[13]], number * size // 512, unit // 512, unit, payload, False)
    else:
        plain = group.crypt(suite, payload, False)
    tags = group.tags(payload, chunk)
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
        raise Refused(4, f"group {number}: padding")
    return bytes(out[:n]), final, page[64:96], page[4064:]


def join(side, image):
    """The parts of a detached container, in the order of an inline one."""
    stride = 1 << side[17]
    payloads = [image[at : at + stride] for at in range(0, len(image), stride)] or [b""]
    pages = [side[at : at + PAGE] for at in range(2 * COPY, len(side), PAGE)]
    if len(pages) != len(payloads):
        raise Refused(4, "not a page for each group")
    return side[: 2 * COPY] + b"".join(page + payload for page, payload in zip(pages, payloads))


def decrypt(secret, source, sink, layout=0):
    """To its end, or Refused; returns what was to be warned about."""
    copies = [source.read(COPY), source.read(COPY)]
    if len(copies[1]) != COPY:
        raise Refused(4, "too short")
    copy, keys, note = open_header(copies, secret)
    if copy[10] != layout or copy[12] == 3:
        raise Refused(7, "another layout than asked for, or SC2000")
    number, total, macs, final, ahead = 0, 0, b"", False, source.read(1)
    while not final:
        plain, final, root, page_mac = read_group(copy, keys, ahead, source, number)
        total, ahead = total + len(plain), source.read(1)
        if final:
            if not hmac.compare_digest(mac(keys.root, macs), root):
                raise Refused(4, "root")
            if le(copy[24:32]) not in (UNKNOWN_LENGTH, total):
                raise Refused(4, "length is not the header's")
        if final == bool(ahead):
            raise Refused(4, "bytes after the end" if final else "ends after a group that is not the last")
        sink.write(plain)
        number, macs = number + 1, macs + page_mac
    return note
