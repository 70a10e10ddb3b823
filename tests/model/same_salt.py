"""Writes FILE, a container for the secret that has the file salt of the container OTHER and a file key of its own."""
import sys

from model.reader import read_secret
from model.writer import Draft, Random

secret, other, name = sys.argv[1:]
draft = Draft(read_secret(secret), b"another content", Random("salt"))
with open(other, "rb") as file:
    file_salt = file.read(64)[32:]
draft.file_salt = file_salt
draft.slots = [draft.slot(read_secret(secret))]
with open(name, "wb") as file:
    file.write(draft.bytes())
