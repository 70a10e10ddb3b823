"""Writes container FILE for the key file, in slot 0, and for anna.pem, ben.pem and rsa.pem, a passphrase and a
secret of a type that no release knows, in slots 1 to 5."""
import sys

from model.reader import SLOT, Secret, read_secret
from model.writer import Draft, Random

draft = Draft(read_secret("key"), bytes(range(256)) * 20, Random("slots"))
for name in ("pem:anna.pem", "pem:ben.pem", "pem:rsa.pem"):
    draft.slots.append(draft.slot(read_secret(name)))
draft.slots.append(draft.slot(Secret(1, b"passphrase")))
draft.slots.append(bytes([77]).ljust(SLOT, b"\1"))
with open(sys.argv[1], "wb") as file:
    file.write(draft.bytes())
