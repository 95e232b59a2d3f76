"""The place of a store: a word for the local file, or the identity of a PostgreSQL server. (P12)"""

from __future__ import annotations

import msgspec

FILE = "file"
"""The store in the project's own folder, wherever that is."""

SCHEMES = ("postgresql://", "postgres://")
"""Accepted prefixes of a server address. libpq accepts other forms, in which a password cannot be recognized."""
NOT_SHOWN = "(no postgresql:// address, and not shown)"
WITHOUT = "leave it out and put it in ~/.pgpass, a service file, PGPASSWORD or FOUREYES_STORE"
SECRET = ("password", "sslpassword")
"""Address parameters that hold a secret."""


class _Parts(msgspec.Struct, frozen=True):
    """The parts of a server address as libpq splits it: the login ends at an `@` before the first `/` and may contain
    a `?`. Parameter names are decoded.
    """

    scheme: str
    user: str
    password: str
    place: str
    parameters: list[tuple[str, str]]
    """Decoded parameter names, each with its original text."""

    def text(self, user: str, *without: str) -> str:
        """Return the address for this user, without its password and the named parameters."""
        kept = "&".join(raw for name, raw in self.parameters if name not in (*SECRET, *without))
        return f"{self.scheme}://{user}{'@' if user else ''}{self.place}{'?' if kept else ''}{kept}"


def _parts(address: str) -> _Parts:
    from urllib.parse import unquote

    scheme, _, rest = address.partition("://")
    ends = len(rest.partition("/")[0])
    if "@" not in rest[:ends]:
        ends = len(rest.partition("?")[0])  # no login for libpq, but the author may have meant one
    login, _, after = rest[:ends].rpartition("@")
    place, _, parameters = (after + rest[ends:]).partition("?")
    user, _, password = login.partition(":")
    named = [(unquote(raw.partition("=")[0]).strip().lower(), raw) for raw in parameters.split("&") if raw]
    return _Parts(scheme, user, password, place, named)


def holds_password(address: str) -> bool:
    """Return True if the address has a password, in the login or as a parameter."""
    parts = _parts(address)
    return bool(parts.password) or any(name in SECRET and raw.partition("=")[2] for name, raw in parts.parameters)


def without_password(address: str) -> str:
    """Return the address without its password, safe to show."""
    parts = _parts(address)
    return parts.text(parts.user) if holds_password(address) else address


def without_user(address: str) -> str:
    """Return the address without a user name. Each user connects under their own."""
    return _parts(address).text("", "user")


def why_not_kept(address: str) -> str:
    """Return why an address may not be stored where others can read it, or "". (P12)"""
    if address and not address.startswith(SCHEMES):
        return f"it does not begin with postgresql:// (and is not shown here, because it may contain a password). If it does, {WITHOUT}"
    return (
        f"it contains a password, which everyone could then read. Please {WITHOUT}" if holds_password(address) else ""
    )


def shown_address(address: str) -> str:
    """Return a safe form of an address that someone else wrote."""
    return NOT_SHOWN if address and not address.startswith(SCHEMES) else without_password(address)


def place_words(place: str) -> str:
    """Describe a store's place."""
    if place == FILE:
        return "in the file .foureyes/store.db"
    return f"in another place ({place})" if not place.startswith("postgresql ") else f"in a database ({place})"
