"""Signatures of webhooks: who receives one can tell that it is from this service, and new.

Nothing here needs more than the standard library, so that receivers in Python may use it.
"""

from __future__ import annotations

import hmac
import time

HEADER = "Geopar-Signature"
# Seconds within which a signature is believed: an old message could be a copy.
FRESH_SECONDS = 300.0


def signature(secret: str, body: bytes, moment: int) -> str:
    """The header of a message that is sent at a moment, in seconds since 1970."""
    signed = f"{moment}.".encode() + body
    return f"t={moment},v1={hmac.new(secret.encode(), signed, 'sha256').hexdigest()}"


def is_signed(secret: str, body: bytes, header: str, now: float | None = None) -> bool:
    """Whether a message was signed with this secret, within the last minutes.

    Parameters
    ----------
    secret
        As of ``geopar serve --webhook-secret``.
    body
        The bytes of the message, as they came.
    header
        What ``Geopar-Signature`` says.
    now
        Seconds since 1970; by the clock when left out.
    """
    text = dict(part.partition("=")[::2] for part in header.split(",")).get("t", "")
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        return False
    moment = int(text)
    now = time.time() if now is None else now
    expected = signature(secret, body, moment)
    right = hmac.compare_digest(expected.encode(), header.encode("utf-8", "replace"))
    return right and abs(now - moment) <= FRESH_SECONDS
