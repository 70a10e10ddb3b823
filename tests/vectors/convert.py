#!/usr/bin/env python3
"""Third-party test vectors → the project's .vec form, on standard output.

usage: convert.py FOLDER

A line of a .vec file:  CIPHER MODE KEY IV UNIT ITERATIONS PLAINTEXT CIPHERTEXT
with "-" for no IV; UNIT: bytes in an XTS unit, else 0; ITERATIONS of the single block.
"""
import os
import re
import sys


def emit(cipher, mode, key, iv, plain, text, iterations=1):
    unit = 0
    if mode == "xts":  # one unit: the smallest that holds the text
        unit = max(512, 1 << (len(plain) // 2 - 1).bit_length())
    print(cipher, mode, key.lower(), (iv or "-").lower(), unit, iterations, plain.lower(), text.lower())


def records(path):
    """Blocks of NAME = VALUE (or [SECTION]) lines between blank lines."""
    record = {}
    for line in open(path, encoding="latin-1"):
        line = line.strip()
        if "=" in line and not line.startswith("#"):
            name, value = line.split("=", 1)
            record[name.strip().lower()] = value.strip()
        elif line == "" and record:
            yield record
            record = {}
    if record:
        yield record


def cavp(path):
    iterations = 1000 if "MCT" in path else 1
    for r in records(path):
        if "key" not in r:
            continue
        if "dataunitlen" in r:  # XTS; lengths of part of a byte are out of scope
            if int(r["dataunitlen"]) % 8 == 0:
                iv = r.get("i") or int(r["dataunitseqnumber"]).to_bytes(16, "little").hex()
                emit("aes", "xts", r["key"], iv, r["pt"], r["ct"])
        else:
            # Monte Carlo: 1000 decryptions lead from text to plain, and so 1000 encryptions back.
            emit("aes", "ecb", r["key"], None, r["plaintext"], r["ciphertext"], iterations)


def openssl(path):
    for r in records(path):
        found = re.fullmatch(r"(aes|camellia)-(128|192|256)-(ecb|ctr|xts)", r.get("cipher", "").lower())
        if found and r.get("plaintext") and "result" not in r:
            if found[3] == "ecb" and (len(r["plaintext"]) % 32 or r["plaintext"] == ""):
                continue
            if len(r["plaintext"]) != len(r["ciphertext"]):
                continue
            emit(found[1], found[3], r["key"], r.get("iv") if found[3] != "ecb" else None,
                 r["plaintext"], r["ciphertext"])


def rfc3686(path):
    for r in records(path):
        if "key" in r:
            emit("aes", "ctr", r["key"], r["iv"], r["plaintext"], r["ciphertext"])


def ntt(path):
    key = plain = None
    for line in open(path, encoding="latin-1"):
        found = re.match(r"([KPC]) No\.\d+ : (.*)", line)
        if not found:
            continue
        value = found[2].replace(" ", "").strip()
        if found[1] == "K":
            key = value
        elif found[1] == "P":
            plain = value
        else:
            emit("camellia", "ecb", key, None, plain, value)


def nessie(path):
    for line in open(path, encoding="latin-1"):
        if not line.startswith("#") and len(line.split()) == 3:
            key, plain, text = line.split()
            emit("sc2000", "ecb", key, None, plain, text)


READERS = (
    (r"nist-cavp-aes/.*\.rsp$", cavp),
    (r"openssl/evpciph.*\.txt$", openssl),
    (r"rfc3686/.*\.txt$", rfc3686),
    (r"ntt-camellia/.*\.txt$", ntt),
    (r"sc2000-nessie\.txt$", nessie),
)

for folder, _, names in sorted(os.walk(sys.argv[1])):
    for file_name in sorted(names):
        file_path = os.path.join(folder, file_name)
        for pattern, read in READERS:
            if re.search(pattern, file_path):
                print("#", os.path.relpath(file_path, sys.argv[1]))
                read(file_path)
