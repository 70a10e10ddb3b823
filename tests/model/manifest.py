"""The MAC of a manifest's text (gcrypt(5), "Manifests")."""
import hmac
import io
import re

from model.primitives import expand, mac
from model.reader import COPY, decrypt, open_header, slots_of

PLACE = re.compile(rb'\A([^\n]*?"mac":")([0-9a-f]{64})(?![0-9a-f])')


def text_mac(secret, slot, file_salt, text):
    """Of the text with zeros in the place of the digits."""
    key = expand(secret.kek(slot[16:48], slot[1], slot[2], file_salt), b"gcrypt/1 manifest", 32)
    return mac(key, PLACE.sub(rb"\g<1>" + b"0" * 64, text)).hex().encode()


def bind(draft, secret):
    """Set the MAC in the plaintext of a draft, if there is a place for it."""
    text = b"".join(group.plain for group in draft.groups)
    digits = text_mac(secret, draft.slots[0], draft.file_salt, text)
    text, at = PLACE.sub(rb"\g<1>" + digits, text), 0
    for group in draft.groups:
        group.plain, at = text[at : at + len(group.plain)], at + len(group.plain)


def is_bound(secret, content):
    """Has the manifest in this container a MAC that only this passphrase or key file makes?"""
    text = io.BytesIO()
    decrypt(secret, io.BytesIO(content), text)
    copy, _, _ = open_header([content[:COPY], content[COPY : 2 * COPY]], secret)
    place = PLACE.match(text.getvalue())
    return place is not None and any(
        hmac.compare_digest(place[2], text_mac(secret, slot, copy[32:64], text.getvalue()))
        for slot in slots_of(copy)
        if slot[0] == secret.type
    )
