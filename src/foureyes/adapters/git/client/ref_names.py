"""Names of refs: those that git takes, and no other (`git help check-ref-format`)."""

from __future__ import annotations

_NEVER = frozenset(" ~^:?*[\\\x7f") | {chr(code) for code in range(32)}


def is_ref_name(name: str) -> bool:
    """Whether a ref may be called so, or a single word as HEAD is; an expression (`main~2`, `@`) is no name."""
    if name == "@" or name.endswith(".") or ".." in name or "@{" in name or _NEVER.intersection(name):
        return False
    return all(part and not part.startswith(".") and not part.endswith(".lock") for part in name.split("/"))
