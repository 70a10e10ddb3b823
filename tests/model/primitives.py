"""Ciphers, MACs and key derivation for the independent reader and writer of gcrypt(5).

The block ciphers are libcrypto's, in ECB and CTR, and the hashes Python's; Poly1305, XTS, key wrap
and HKDF are written out here, so that nothing but the ciphers is shared with the program under
test.  Slow, and not careful with secrets: for tests only.
"""
import ctypes
import hashlib
import hmac
import os


class Refused(Exception):
    """A container that must not be read; code: the exit status that says so."""

    def __init__(self, code, why):
        super().__init__(why)
        self.code = code


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
    r, total = int.from_bytes(r, "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF, 0
    prime = 2**130 - 5  # Python would compute it for each block
    for at in range(0, len(text), 16):
        block = text[at : at + 16] + b"\1"
        total = (total + int.from_bytes(block, "little")) * r % prime
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


def le(text):
    return int.from_bytes(text, "little")


def selftest():
    """Known answers of what is written out here."""
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
