"""Weak RSA keys: writes NAME.pub for each; argument: the PEM file of a good one, whose modulus is used."""
import sys

from model.recipients import Key, rsa_public_pem

n, _ = Key(sys.argv[1]).public
keys = {
    "exponent-1": (n, 1),
    "exponent-2": (n, 2),
    "exponent-3": (n, 3),
    "exponent-65535": (n, 65535),
    "exponent-65538": (n, 65538),
    "exponent-large": (n, n - 2),
    "bits-2041": (2**2040 | n >> 8 | 1, 65537),
    "bits-2047": (n >> 1 | 1, 65537),
    "modulus-even": (n & ~1, 65537),
    "modulus-3": (2**2047 + 1, 65537),
    "modulus-smooth": (2**2048 - 1, 65537),
    "modulus-65521": (65521 * (2**2203 - 1), 65537),  # a prime above those that libcrypto divides by
    "modulus-prime": (2**2203 - 1, 65537),
    "modulus-square": ((2**1279 - 1) ** 2, 65537),
}
for name, numbers in keys.items():
    with open(f"{name}.pub", "w") as file:
        file.write(rsa_public_pem(*numbers))
