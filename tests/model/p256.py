"""ECDH on P-256 (FIPS 186-4, D.1.2.3; SEC 1, 2.3.4) in plain Python: a test oracle."""

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
A = P - 3
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
BASE = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)


def point(x):
    """A point with this x coordinate; None where there is none."""
    square = (x**3 + A * x + B) % P
    y = pow(square, (P + 1) // 4, P)
    return (x, y) if x < P and y * y % P == square else None


def add(p, q):
    if p is None or q is None:
        return p or q
    if p[0] == q[0] and (p[1] + q[1]) % P == 0:
        return None
    if p == q:
        slope = (3 * p[0] ** 2 + A) * pow(2 * p[1], -1, P)
    else:
        slope = (q[1] - p[1]) * pow(q[0] - p[0], -1, P)
    x = (slope**2 - p[0] - q[0]) % P
    return x, (slope * (p[0] - x) - p[1]) % P


def multiply(scalar, p):
    total = None
    for bit in bin(scalar)[2:]:
        total = add(total, total)
        if bit == "1":
            total = add(total, p)
    return total


def coordinate(p):
    return p[0].to_bytes(32, "big")


def scalar_of(random):
    return int.from_bytes(random, "big") % (ORDER - 1) + 1


def selftest():
    # NIST CAVP, KAS ECC CDH primitive, P-256, COUNT = 0
    d = 0x7D7DC5F71EB29DDAF80D6214632EEAE03D9058AF1FB6D22ED80BADB62BC1A534
    q = point(0x700C48F77F56584C5CC632CA65640DB91B6BACCE3A4DF6B42CE7CC838833D287)
    shared = "46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b"
    assert coordinate(multiply(d, q)).hex() == shared
    assert multiply(ORDER, BASE) is None
