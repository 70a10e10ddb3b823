"""ML-KEM-768 (FIPS 203) in plain Python: a test oracle.  Slow, and not careful with secrets: for tests only."""
import hashlib

Q, N, K, ETA, DU, DV = 3329, 256, 3, 2, 10, 4


def reversed_bits(i):
    return int(f"{i:07b}"[::-1], 2)


ZETAS = [pow(17, reversed_bits(i), Q) for i in range(128)]
GAMMAS = [pow(17, 2 * reversed_bits(i) + 1, Q) for i in range(128)]


def ntt(f):
    """Algorithm 9."""
    f, i, length = list(f), 1, 128
    while length >= 2:
        for start in range(0, N, 2 * length):
            zeta, i = ZETAS[i], i + 1
            for j in range(start, start + length):
                t = zeta * f[j + length] % Q
                f[j + length], f[j] = (f[j] - t) % Q, (f[j] + t) % Q
        length //= 2
    return f


def inverse_ntt(f):
    """Algorithm 10."""
    f, i, length = list(f), 127, 2
    while length <= 128:
        for start in range(0, N, 2 * length):
            zeta, i = ZETAS[i], i - 1
            for j in range(start, start + length):
                t = f[j]
                f[j], f[j + length] = (t + f[j + length]) % Q, zeta * (f[j + length] - t) % Q
        length *= 2
    return [3303 * x % Q for x in f]


def multiply(f, g):
    """Algorithms 11 and 12."""
    h = []
    for i in range(128):
        a0, a1, b0, b1 = f[2 * i], f[2 * i + 1], g[2 * i], g[2 * i + 1]
        h += [(a0 * b0 + a1 * b1 * GAMMAS[i]) % Q, (a0 * b1 + a1 * b0) % Q]
    return h


def add(f, g):
    return [(a + b) % Q for a, b in zip(f, g)]


def dot(row, vector):
    total = [0] * N
    for f, g in zip(row, vector):
        total = add(total, multiply(f, g))
    return total


def encode(f, d):
    """Algorithm 5."""
    return sum(x << (d * i) for i, x in enumerate(f)).to_bytes(32 * d, "little")


def decode(text, d):
    """Algorithm 6."""
    number = int.from_bytes(text, "little")
    return [(number >> (d * i)) % (1 << d) for i in range(N)]


def compress(f, d):
    return [((x << (d + 1)) + Q) // (2 * Q) % (1 << d) for x in f]


def decompress(f, d):
    return [(2 * Q * x + (1 << d)) >> (d + 1) for x in f]


def sample_uniform(seed):
    """Algorithm 7."""
    stream, f, at = hashlib.shake_128(seed).digest(3 * N * 4), [], 0
    while len(f) < N:
        a, b, c = stream[at : at + 3]
        at += 3
        f += [x for x in (a + 256 * (b % 16), b // 16 + 16 * c) if x < Q]
    return f[:N]


def sample_noise(seed, counter):
    """Algorithm 8, of PRF(seed, counter)."""
    number = int.from_bytes(hashlib.shake_256(seed + bytes([counter])).digest(64 * ETA), "little")
    bit = [number >> i & 1 for i in range(512 * ETA)]
    return [(sum(bit[4 * i : 4 * i + 2]) - sum(bit[4 * i + 2 : 4 * i + 4])) % Q for i in range(N)]


def matrix(rho):
    return [[sample_uniform(rho + bytes([j, i])) for j in range(K)] for i in range(K)]


def halves(text):
    digest = hashlib.sha3_512(text).digest()
    return digest[:32], digest[32:]


def keys(seed):
    """Algorithm 16, of d and z: (encapsulation key, the inner decryption key)."""
    rho, sigma = halves(seed[:32] + bytes([K]))
    a = matrix(rho)
    s = [ntt(sample_noise(sigma, i)) for i in range(K)]
    e = [ntt(sample_noise(sigma, K + i)) for i in range(K)]
    t = [add(dot(a[i], s), e[i]) for i in range(K)]
    return b"".join(encode(f, 12) for f in t) + rho, s


def encrypt(public, message, randomness):
    """Algorithm 14."""
    t = [decode(public[384 * i : 384 * (i + 1)], 12) for i in range(K)]
    a = matrix(public[384 * K :])
    y = [ntt(sample_noise(randomness, i)) for i in range(K)]
    e1 = [sample_noise(randomness, K + i) for i in range(K)]
    e2 = sample_noise(randomness, 2 * K)
    u = [add(inverse_ntt(dot([a[j][i] for j in range(K)], y)), e1[i]) for i in range(K)]
    v = add(add(inverse_ntt(dot(t, y)), e2), decompress(decode(message, 1), 1))
    return b"".join(encode(compress(f, DU), DU) for f in u) + encode(compress(v, DV), DV)


def encapsulate(public, message):
    """Algorithm 17, of 32 random bytes: (shared secret, ciphertext)."""
    shared, randomness = halves(message + hashlib.sha3_256(public).digest())
    return shared, encrypt(public, message, randomness)


def decapsulate(seed, ciphertext):
    """Algorithm 18."""
    public, s = keys(seed)
    u = [decompress(decode(ciphertext[320 * i : 320 * (i + 1)], DU), DU) for i in range(K)]
    v = decompress(decode(ciphertext[320 * K :], DV), DV)
    product = inverse_ntt(dot(s, [ntt(f) for f in u]))
    message = encode(compress([(a - b) % Q for a, b in zip(v, product)], 1), 1)
    shared, randomness = halves(message + hashlib.sha3_256(public).digest())
    rejected = hashlib.shake_256(seed[32:] + ciphertext).digest(32)
    return shared if encrypt(public, message, randomness) == ciphertext else rejected


def selftest():
    seed = bytes(range(64))
    public, _ = keys(seed)
    shared, ciphertext = encapsulate(public, bytes(range(32)))
    assert len(public) == 1184 and len(ciphertext) == 1088
    assert decapsulate(seed, ciphertext) == shared
    assert decapsulate(seed, ciphertext[:-1] + bytes([ciphertext[-1] ^ 1])) != shared
