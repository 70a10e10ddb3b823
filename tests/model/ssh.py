"""SSH keys (RFC 4253, 6.6; RFC 8709; PROTOCOL.key of OpenSSH) as keys of X25519 and RSA, in plain Python: a test
oracle.  Private keys without a passphrase only."""
import base64
import hashlib
import re

from model.primitives import evp, hkdf, poly1305

P = 2**255 - 19


def edwards_u(public):
    """RFC 7748, section 4.1, of a point as RFC 8032, section 5.1.2, encodes it."""
    y = int.from_bytes(public, "little") & (2**255 - 1)
    return ((1 + y) * pow(1 - y, P - 2, P) % P).to_bytes(32, "little")


def edwards_scalar(seed):
    """RFC 8032, section 5.1.5."""
    scalar = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
    return (scalar & ~7 & (2**255 - 1) | 2**254).to_bytes(32, "little")


def strings(text):
    """What stands one after the other, each with its length before it."""
    items = []
    while len(text) >= 4:
        n = int.from_bytes(text[:4], "big")
        if 4 + n > len(text):
            break
        items.append(text[4 : 4 + n])
        text = text[4 + n :]
    return items


def number(text):
    return int.from_bytes(text, "big")


def public_key(line):
    """(type of slot, raw bytes or (n, e)) of a line of authorized_keys without options."""
    kind, *parts = strings(base64.b64decode(line.split()[1]))
    if kind == b"ssh-ed25519":
        return 3, edwards_u(parts[0])
    assert kind == b"ssh-rsa"
    return 4, (number(parts[1]), number(parts[0]))


def private_key(text):
    """(type of slot, private: raw bytes or (n, e, d))."""
    body = base64.b64decode(re.search(r"-----BEGIN OPENSSH PRIVATE KEY-----(.*?)-----END", text, re.S).group(1))
    assert body[:15] == b"openssh-key-v1\0"
    cipher, kdf, options = strings(body[15:])[:3]
    assert cipher == kdf == b"none" and not options
    private = strings(body[15 + 4 + 4 + 4 + 4 + 4 + 4 :])[1]  # behind three strings and the number of keys
    kind, *parts = strings(private[8:])
    if kind == b"ssh-ed25519":
        return 3, edwards_scalar(parts[1][:32])
    assert kind == b"ssh-rsa"
    return 4, tuple(number(part) for part in parts[:3])


def age_file_key(x25519, stanza, line, scalar):
    """The file key that age (https://age-encryption.org/v1, "The ssh-ed25519 recipient type") wrapped in a stanza of
    two lines for a public key; None where the converted key does not open it."""
    label = b"age-encryption.org/v1/ssh-ed25519"
    share, wrapped = (base64.b64decode(text + "=" * (-len(text) % 4)) for text in (stanza[0].split()[3], stanza[1]))
    own = edwards_u(strings(base64.b64decode(line.split()[1]))[1])
    tweak = hkdf(base64.b64decode(line.split()[1]), b"", label)
    shared = x25519(tweak, x25519(scalar, share))
    key = hkdf(share + own, shared, label)
    first = evp("chacha20", key, bytes(16), bytes(32))  # RFC 8439, 2.8, with a nonce of zeros
    text, tag = wrapped[:16], wrapped[16:]
    if poly1305(first[:16], first[16:], text + bytes(8) + (16).to_bytes(8, "little")) != tag:
        return None
    return evp("chacha20", key, (1).to_bytes(4, "little") + bytes(12), text)


def selftest(x25519):
    # libsodium, test/default/ed25519_convert
    seed = bytes.fromhex("421151a459faeade3d247115f94aedae42318124095afabe4d1451a559faedee")
    scalar = edwards_scalar(seed)
    assert scalar.hex() == "8052030376d47112be7f73ed7a019293dd12ad910b654455798b4667d73de166"
    assert x25519(scalar, (9).to_bytes(32, "little")).hex() == (
        "f1814f0e8ff1043d8a44d25babff3cedcae6c22c3edaa48f857ae70de2baae50"
    )
    # filippo.io/edwards25519, TestBytesMontgomerySodium
    public = bytes.fromhex("3bf918ffc2c955dc895bf145f566fb96623c1cadbe040091175764b5fde322c0")
    assert edwards_u(public).hex() == "efc6c9d0738e9ea18d738ad4a2653631558931b0f1fde4dd58c436d19686dc28"
