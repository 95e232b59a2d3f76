"""The place of a store (P12): a word for the file, or the identity that a PostgreSQL server gives."""

from __future__ import annotations

from typing import NamedTuple

FILE = "file"
"""The file in the project's own folder, wherever that is."""

SCHEMES = ("postgresql://", "postgres://")
"""How the address of a server begins; libpq would take other things, in which a password is not told from the rest."""
NOT_SHOWN = "(no postgresql:// address, and not shown)"
WITHOUT = "name it without: ~/.pgpass, a service file, PGPASSWORD or FOUREYES_STORE can have it"
SECRET = ("password", "sslpassword")
"""What a parameter of a server's address is called that nobody else may read."""


class _Parts(NamedTuple):
    """A server's address, taken apart as libpq does it: who logs in ends at an `@` before the first `/`, and may have a
    `?` in it; the names of parameters are decoded.
    """

    scheme: str
    user: str
    password: str
    place: str
    parameters: list[tuple[str, str]]
    """Each by its decoded name, as it stands."""

    def text(self, user: str, *without: str) -> str:
        """The address for who logs in, without the password and these parameters."""
        kept = "&".join(raw for name, raw in self.parameters if name not in (*SECRET, *without))
        return f"{self.scheme}://{user}{'@' if user else ''}{self.place}{'?' if kept else ''}{kept}"


def _parts(address: str) -> _Parts:
    from urllib.parse import unquote

    scheme, _, rest = address.partition("://")
    ends = len(rest.partition("/")[0])
    if "@" not in rest[:ends]:
        ends = len(rest.partition("?")[0])  # no login for libpq, and yet somebody may have meant one
    login, _, after = rest[:ends].rpartition("@")
    place, _, parameters = (after + rest[ends:]).partition("?")
    user, _, password = login.partition(":")
    named = [(unquote(raw.partition("=")[0]).strip().lower(), raw) for raw in parameters.split("&") if raw]
    return _Parts(scheme, user, password, place, named)


def holds_password(address: str) -> bool:
    """Whether a server's address has a password in it: between its user and its host, or as a parameter."""
    parts = _parts(address)
    return bool(parts.password) or any(name in SECRET and raw.partition("=")[2] for name, raw in parts.parameters)


def without_password(address: str) -> str:
    """A server's address as it may be shown."""
    parts = _parts(address)
    return parts.text(parts.user) if holds_password(address) else address


def without_user(address: str) -> str:
    """A server's address for everybody: each joins it as who they are there."""
    return _parts(address).text("", "user")


def why_not_kept(address: str) -> str:
    """P12: why an address may not stand where others read it; empty where it may, or there is none."""
    if address and not address.startswith(SCHEMES):
        return f"it does not begin with postgresql:// , and is not shown, because a password can be in it; {WITHOUT}"
    return f"it holds a password, which everybody could read from then on; {WITHOUT}" if holds_password(address) else ""


def shown_address(address: str) -> str:
    """What may be shown of an address that others wrote down."""
    return NOT_SHOWN if address and not address.startswith(SCHEMES) else without_password(address)


def place_words(place: str) -> str:
    """A place as people read it."""
    if place == FILE:
        return "in the file .foureyes/store.db"
    return f"in another place ({place})" if not place.startswith("postgresql ") else f"in a database ({place})"
