"""The rule of gcrypt(5), "Salvage", written from the description alone, for inline containers."""
from model.primitives import Refused, le, mac
from model.reader import (
    CIPHERS, COPY, MODES, PAGE, PAGE_MAGIC, UNKNOWN_LENGTH, GroupKeys, check_form, name_of, open_header,
)

START = 2 * COPY


class Found:
    """What salvage finds: the output, and damages as (offset, length, reason)."""

    def __init__(self):
        self.plain, self.good, self.damages = bytearray(), 0, []

    def damage(self, offset, length, reason):
        if length and self.damages:
            at, before, same = self.damages[-1]
            if before and same == reason and at + before == offset:
                self.damages[-1] = (at, before + length, reason)
                return
        self.damages.append((offset, length, reason))


class Page:
    """A page at its place; right: MAC and form are."""

    def __init__(self, keys, text, number, chunk, size):
        self.mac, self.keys = text[4064:PAGE].ljust(32, b"\0"), None
        self.n, self.flags, self.holes, self.root = le(text[16:24]), le(text[24:28]), le(text[48:64]), text[64:96]
        self.tags = [text[at : at + 16] for at in range(128, 2176, 16)]
        self.right = len(text) == PAGE
        if self.right:
            self.keys = GroupKeys(keys, number, text[32:48])
            self.right = mac(self.keys.page, text[:4064]) == self.mac and self.has_form(text, number, chunk, size)
        self.final = self.right and self.flags & 1

    def has_form(self, text, number, chunk, size):
        final, n_chunks = self.flags & 1, -(-self.n // chunk)
        length = 0 < self.n <= size or (self.n == 0 and number == 0) if final else self.n == size
        unused = (tag for i, tag in enumerate(self.tags) if i >= n_chunks or self.holes >> i & 1)
        zeros = [text[28:32], text[96:128], text[2176:4064], *unused] + ([] if final else [self.root])
        return (
            text[:8] == PAGE_MAGIC and le(text[8:16]) == number and self.flags < 4 and length and not any(map(any, zeros))
            and (self.holes != 0) == bool(self.flags & 2) and not self.holes >> n_chunks
        )


class Salvage:
    def __init__(self, content, secret):
        copies = [content[:COPY], content[COPY:START]]
        if len(copies[1]) < COPY:
            raise Refused(4, "too short")
        self.content, self.found = content, Found()
        copy, self.keys, _ = open_header(copies, secret)
        self.one_key = all(self.is_good(other) for other in copies)
        self.chunk, self.size = 1 << copy[16], 1 << copy[17]
        self.suite = name_of(CIPHERS, copy[12]), name_of(MODES, copy[14]), copy[13]
        stride, self.length = PAGE + self.size, le(copy[24:32])
        self.groups = [content[at : at + stride] for at in range(START, len(content), stride)] or [b""]
        self.there = sum(max(0, len(group) - PAGE) for group in self.groups)
        self.unknown = self.length == UNKNOWN_LENGTH
        if not self.unknown:
            del self.groups[max(1, -(-self.length // self.size)) :]

    def is_good(self, copy):
        """Of the same bytes 0 to 63 as the other one, else it is taken for damaged."""
        try:
            check_form(copy)
        except Refused:
            return False
        return mac(self.keys.header, copy[:8160]) == copy[8160:]

    def run(self):
        macs = b""
        for number, text in enumerate(self.groups):
            page = Page(self.keys, text[:PAGE], number, self.chunk, self.size)
            self.group(number, page, text[PAGE:])
            self.place(number, page, macs)
            macs += page.mac
            if number + 1 == len(self.groups):
                break
        missing = 0 if self.unknown else self.length - len(self.found.plain)
        if missing:
            self.found.damage(
                len(self.found.plain), missing, f"the container ends here: {missing} bytes are missing"
            )
        return self.found

    def group(self, number, page, payload):
        start, found = number * self.size, self.found
        if number == 0 and not page.right and not self.one_key:
            found.damage(0, 0, "metadata page 0 and a header copy are damaged: another secret may open other bytes")
        if self.unknown and page.final:
            self.unknown, self.length = False, start + page.n
            del self.groups[number + 1 :]
        n = min(self.length - start, self.there - start, self.size)
        if page.right:
            found.plain += self.chunks(start, page, payload, n)
        else:
            if n:
                found.damage(start, n, "the group's metadata page is damaged")
            found.plain += bytes(n)

    def chunks(self, start, page, payload, n):
        stored = n if self.suite[1] == "ctr" else -(-n // 16) * 16
        payload = payload[:stored]
        tags = page.keys.tags(payload, self.chunk)
        plain = bytearray(page.keys.crypt(self.suite, payload.ljust(stored, b"\0"), False))
        for i, at in enumerate(range(0, stored, self.chunk)):
            end, part = min(at + self.chunk, stored), payload[at : at + self.chunk]
            hole = page.holes >> i & 1
            right = not any(part) if hole else i < len(tags) and tags[i] == page.tags[i]
            why = "missing" if len(part) < end - at else "a chunk is damaged"
            if right and len(part) == end - at:
                self.found.good += min(end, n) - at
            else:
                self.found.damage(start + at, min(end, n) - at, why)
            if hole or not right or len(part) < end - at:
                plain[at:end] = bytes(end - at)
        if any(plain[n:]):
            self.found.damage(start + n, 0, "the padding is not zero")
        return plain[:n]

    def place(self, number, page, macs):
        last, end, found = number + 1 == len(self.groups), len(self.found.plain), self.found
        if page.right and page.final != last:
            found.damage(end, 0, "the final page is missing" if last else "a final page is before the end")
        if not last:
            return
        if not page.right:
            found.damage(end, 0, "without its final page, order and age of groups are not proved")
        elif page.final and mac(self.keys.root, macs) != page.root:
            found.damage(end, 0, "the root is wrong: pages are damaged or of another version")
        if page.final and self.length != number * self.size + page.n:
            found.damage(end, 0, "the length is not that in the header")
        n = end - number * self.size
        stored = START + number * (PAGE + self.size) + PAGE + (n if self.suite[1] == "ctr" else -(-n // 16) * 16)
        if (self.unknown or end == self.length) and len(self.content) > stored:
            found.damage(end, 0, "there are more bytes after the end")
