"""Proofs that this computer has written something: by its key in the system's key store.

Who changes a file can make every hash in it anew, but not a proof.
"""

import hashlib
import hmac
import json
from typing import Literal

from qhub_desktop.core.codec import Json, JsonObject

Proof = Literal[
    "made here",
    "elsewhere",  # by another computer's key, or by none
    "unknown",  # by some key, but no key store answers here
    "forged",
]


def prove(key: bytes | None, content: Json) -> JsonObject:
    """Return the fields that prove a content, none without a key."""
    if key is None:
        return {}
    return {"key": _name_of(key), "proof": _mac(key, content)}


def proof_of(told: JsonObject, content: Json, key: bytes | None) -> Proof:
    """Return who has proven a content, by the fields that stand beside it."""
    if key is None:
        return "unknown" if "proof" in told else "elsewhere"
    if told.get("key") != _name_of(key):
        return "elsewhere"
    given = str(told.get("proof")).encode("utf-8", "surrogatepass")
    is_ours = hmac.compare_digest(given, _mac(key, content).encode())
    return "made here" if is_ours else "forged"


def _name_of(key: bytes) -> str:
    return hashlib.sha256(b"name of " + key).hexdigest()[:16]


def _mac(key: bytes, content: Json) -> str:
    return hmac.new(key, json.dumps(content).encode(), hashlib.sha256).hexdigest()
