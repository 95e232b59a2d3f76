"""The interpreter's built-in sha256. Importing `hashlib` would load OpenSSL in every command."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # Python 3.12 and later
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:  # an interpreter built without it
            from hashlib import sha256

__all__ = ["sha256"]
