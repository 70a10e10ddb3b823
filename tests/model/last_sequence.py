"""Writes FILE, a container for the key file whose header has the highest sequence number, OFFSET less in copy B."""
import sys

from model.reader import read_secret
from model.writer import Draft, Random

draft = Draft(read_secret("key"), bytes(5000), Random("sequence"))
draft.copies = [{"sequence": 2**64 - 1}, {"sequence": 2**64 - 1 - int(sys.argv[2])}]
with open(sys.argv[1], "wb") as file:
    file.write(draft.bytes())
