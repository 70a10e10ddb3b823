"""X25519 (RFC 7748), P-256, RSA-OAEP (RFC 8017) and ML-KEM-768 (FIPS 203) key slots of gcrypt(5) in plain Python: a test oracle.

Keys are files: SubjectPublicKeyInfo or PKCS#8 in PEM, or of OpenSSH, without a passphrase.  Slow, and not careful with
secrets: for tests only.
"""
import base64
import hashlib
import re

from model import mlkem, p256, ssh
from model.primitives import hkdf, unwrap, wrap

P = 2**255 - 19
LABELS = {3: b"gcrypt/1 x25519", 5: b"gcrypt/1 p256", 6: b"gcrypt/1 x25519"}


def x25519(scalar, u):
    """RFC 7748, section 5."""
    k = int.from_bytes(scalar, "little") & ~7 & (2**255 - 1) | 2**254
    x1 = int.from_bytes(u, "little") & (2**255 - 1)
    x2, z2, x3, z3, swap = 1, 0, x1, 1, 0
    for t in reversed(range(255)):
        bit = k >> t & 1
        if swap != bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swap = bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        aa, bb, da, cb = a * a % P, b * b % P, d * a % P, c * b % P
        e = aa - bb
        x3, z3 = (da + cb) ** 2 % P, x1 * (da - cb) ** 2 % P
        x2, z2 = aa * bb % P, e * (aa + 121665 * e) % P
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, "little")


def mgf1(seed, length):
    out = b""
    for i in range(-(-length // 32)):
        out += hashlib.sha256(seed + i.to_bytes(4, "big")).digest()
    return out[:length]


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def oaep_encrypt(n, e, text, label, seed):
    """RFC 8017, section 7.1.1, with SHA-256 and a seed of 32 random bytes."""
    k = (n.bit_length() + 7) // 8
    block = hashlib.sha256(label).digest() + bytes(k - len(text) - 66) + b"\1" + text
    masked = xor(block, mgf1(seed, k - 33))
    whole = b"\0" + xor(seed, mgf1(masked, 32)) + masked
    return pow(int.from_bytes(whole, "big"), e, n).to_bytes(k, "big")


def oaep_decrypt(n, d, text, label):
    """RFC 8017, section 7.1.2; None where it does not decrypt."""
    k = (n.bit_length() + 7) // 8
    whole = pow(int.from_bytes(text, "big"), d, n).to_bytes(k, "big")
    masked = whole[33:]
    block = xor(masked, mgf1(xor(whole[1:33], mgf1(masked, 32)), k - 33))
    rest = block[32:].lstrip(b"\0")
    if whole[0] or block[:32] != hashlib.sha256(label).digest() or rest[:1] != b"\1":
        return None
    return rest[1:]


def der(text):
    """[(tag, content)] of what stands one after the other."""
    items, at = [], 0
    while at < len(text):
        tag, length, at = text[at], text[at + 1], at + 2
        if length >= 128:
            width = length - 128
            length = int.from_bytes(text[at : at + width], "big")
            at += width
        items.append((tag, text[at : at + length]))
        at += length
    return items


def encode(tag, content):
    n = len(content)
    width = (n.bit_length() + 7) // 8
    size = bytes([n]) if n < 128 else bytes([128 + width]) + n.to_bytes(width, "big")
    return bytes([tag]) + size + content


EC_OID, P256_OID = bytes.fromhex("2a8648ce3d0201"), bytes.fromhex("2a8648ce3d030107")
X25519_OID, ED25519_OID = bytes.fromhex("2b656e"), bytes.fromhex("2b6570")
RSA_OID = bytes.fromhex("2a864886f70d010101")
ML_KEM_OID = bytes.fromhex("608648016503040402")


def rsa_public_pem(n, e):
    """A SubjectPublicKeyInfo in PEM, of whatever numbers."""
    numbers = b"".join(encode(2, number.to_bytes(number.bit_length() // 8 + 1, "big")) for number in (n, e))
    algorithm = encode(0x30, encode(6, RSA_OID) + encode(5, b""))
    body = base64.encodebytes(encode(0x30, algorithm + encode(3, b"\0" + encode(0x30, numbers))))
    return f"-----BEGIN PUBLIC KEY-----\n{body.decode()}-----END PUBLIC KEY-----\n"


def integers(sequence):
    return [int.from_bytes(content, "big") for tag, content in der(der(sequence)[0][1]) if tag == 2]


class Key:
    """type, public (raw bytes, a point, or (n, e)), private (raw bytes, a scalar, d, or None), id."""

    def __init__(self, name):
        text = open(name).read()
        self.private = None
        if text.startswith("ssh-"):
            self.type, self.public = ssh.public_key(text)
        elif "OPENSSH PRIVATE KEY" in text:
            self.type, self.private = ssh.private_key(text)
        else:
            self.read_pem(*re.search(r"-----BEGIN (.*?)-----(.*?)-----END", text, re.S).groups())
        if self.private and self.type == 3:
            self.public = x25519(self.private, (9).to_bytes(32, "little"))
        elif self.private and self.type == 5:
            self.public = b"\4" + b"".join(n.to_bytes(32, "big") for n in p256.multiply(self.private, p256.BASE))
        elif self.private:
            *self.public, self.private = self.private
        self.spki = self.encode_public()
        blocks = re.findall(r"-----BEGIN (.*?)-----(.*?)-----END", text, re.S)
        if len(blocks) == 2:
            self.read_ml_kem(*blocks[1])
        self.id = hashlib.sha256(self.spki).digest()[:8]

    def read_pem(self, kind, text):
        items = der(der(base64.b64decode(text))[0][1])
        if kind == "PUBLIC KEY":
            algorithm, bits = items[0][1], items[1][1][1:]
        else:  # PRIVATE KEY: version, algorithm, OCTET STRING
            algorithm, bits = items[1][1], items[2][1]
        oid = der(algorithm)[0][1]
        self.type = {X25519_OID: 3, ED25519_OID: 3, RSA_OID: 4, EC_OID: 5}[oid]
        if kind == "PUBLIC KEY" and self.type == 3:
            self.public = ssh.edwards_u(bits) if oid == ED25519_OID else bits
        elif kind == "PUBLIC KEY" and self.type == 5:
            self.public = bits
        elif kind == "PUBLIC KEY":
            self.public = integers(bits)
        elif self.type == 5:
            self.private = int.from_bytes(der(der(bits)[0][1])[1][1], "big")
        elif self.type == 3:
            seed = der(bits)[0][1]
            self.private = ssh.edwards_scalar(seed) if oid == ED25519_OID else seed
        else:
            self.private = integers(bits)[1:4]

    def read_ml_kem(self, kind, text):
        """The second half of a pair: a SubjectPublicKeyInfo, or PKCS#8 with a seed (RFC 9935)."""
        items = der(der(base64.b64decode(text))[0][1])
        self.type, self.seed = 6, None
        if kind == "PUBLIC KEY":
            assert der(items[0][1])[0][1] == ML_KEM_OID
            self.ml_kem = items[1][1][1:]
        else:
            tag, content = der(items[2][1])[0]
            self.seed = der(content)[0][1] if tag == 0x30 else content
            self.ml_kem = mlkem.keys(self.seed)[0]
        self.spki += encode(0x30, encode(0x30, encode(6, ML_KEM_OID)) + encode(3, b"\0" + self.ml_kem))

    def combine(self, x25519_kek, shared, ciphertext, file_salt):
        """KEK of a slot of type 6."""
        digest = hashlib.sha256(ciphertext + self.ml_kem).digest()
        return hkdf(digest, x25519_kek + shared, b"gcrypt/1 x25519-ml-kem-768" + file_salt)

    def encode_public(self):
        """SubjectPublicKeyInfo."""
        if self.type == 3:  # of type 6, its first half
            return encode(0x30, encode(0x30, encode(6, X25519_OID)) + encode(3, b"\0" + self.public))
        if self.type == 5:
            algorithm = encode(0x30, encode(6, EC_OID) + encode(6, P256_OID))
            return encode(0x30, algorithm + encode(3, b"\0" + self.public))
        numbers = b"".join(encode(2, number.to_bytes(number.bit_length() // 8 + 1, "big")) for number in self.public)
        algorithm = encode(0x30, encode(6, RSA_OID) + encode(5, b""))
        return encode(0x30, algorithm + encode(3, b"\0" + encode(0x30, numbers)))

    def seal(self, file_key, file_salt, random):
        """(salt field, body) of a slot, from 32 random bytes."""
        if self.type == 4:
            return bytes(32), oaep_encrypt(*self.public, file_key, b"gcrypt/1 rsa" + file_salt, random)
        if self.type == 5:
            scalar, own = p256.scalar_of(random), self.public[1:33]
            ephemeral = p256.coordinate(p256.multiply(scalar, p256.BASE))
            shared = p256.coordinate(p256.multiply(scalar, p256.point(int.from_bytes(own, "big"))))
        else:
            ephemeral, own = x25519(random, (9).to_bytes(32, "little")), self.public
            shared = x25519(random, own)
        kek = hkdf(ephemeral + own, shared, LABELS[self.type] + file_salt)
        if self.type == 6:
            secret, ciphertext = mlkem.encapsulate(self.ml_kem, hashlib.sha256(b"message" + random).digest())
            return ephemeral, ciphertext + wrap(self.combine(kek, secret, ciphertext, file_salt), file_key)
        return ephemeral, wrap(kek, file_key)

    def open(self, salt, body, file_salt):
        """The file key, or None."""
        if self.type == 4:
            return oaep_decrypt(self.public[0], self.private, body, b"gcrypt/1 rsa" + file_salt)
        if self.type == 5:
            sent, own = p256.point(int.from_bytes(salt, "big")), self.public[1:33]
            shared = p256.coordinate(p256.multiply(self.private, sent)) if sent else bytes(32)
        else:
            own, shared = self.public, x25519(self.private, salt)
        if not any(shared):
            return None
        kek = hkdf(salt + own, shared, LABELS[self.type] + file_salt)
        if self.type == 6:
            if len(body) != 1128:
                return None
            kek = self.combine(kek, mlkem.decapsulate(self.seed, body[:1088]), body[:1088], file_salt)
        return unwrap(kek, body[-40:])


def selftest():
    ssh.selftest(x25519)
    p256.selftest()
    mlkem.selftest()
    scalar = bytes.fromhex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
    u = bytes.fromhex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")
    out = "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
    assert x25519(scalar, u).hex() == out  # RFC 7748, 5.2
    n = (2**521 - 1) * (2**607 - 1)
    d = pow(65537, -1, (2**521 - 2) * (2**607 - 2))
    text = oaep_encrypt(n, 65537, b"0123456789abcdef", b"label", bytes(range(32)))
    assert oaep_decrypt(n, d, text, b"label") == b"0123456789abcdef"
    assert oaep_decrypt(n, d, text, b"another") is None
