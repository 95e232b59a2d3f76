"""Where a store lies (P12): a word for the file, or what a PostgreSQL server says of itself; and the word by which the
target says whose it is.
"""

from __future__ import annotations

FILE = "file"
"""The file in the project's own folder, wherever that is."""
ANCHOR = "Journal:"
"""How the line of a merge commit begins that names row and hash of the journal (J3)."""

SCHEMES = ("postgresql://", "postgres://")
"""How the address of a server begins; libpq would take other things, in which a password is not told from the rest."""
NOT_SHOWN = "(no postgresql:// address, and not shown)"
WITHOUT = "name it without: ~/.pgpass, a service file, PGPASSWORD or FOUREYES_STORE can have it"
SECRET = ("password", "sslpassword")
"""What a parameter of a server's address is called that nobody else may read."""


def holds_password(address: str) -> bool:
    """Whether a server's address has a password in it: between its user and its host, or as a parameter."""
    before, _, parameters = address.partition("://")[2].partition("?")
    names = [part.partition("=") for part in parameters.split("&")]
    return bool(before.rpartition("@")[0].partition(":")[2]) or any(
        name.strip().lower() in SECRET and value for name, _, value in names
    )


def without_password(address: str) -> str:
    """A server's address as it may be shown."""
    if not holds_password(address):
        return address
    scheme, _, rest = address.partition("://")
    before, _, parameters = rest.partition("?")
    user, _, host = before.rpartition("@")
    shown = "&".join(part for part in parameters.split("&") if part.partition("=")[0].strip().lower() not in SECRET)
    user = user.partition(":")[0]
    return f"{scheme}://{user}{'@' if user else ''}{host}{'?' if shown else ''}{shown}"


def without_user(address: str) -> str:
    """A server's address for everybody: each joins it as who they are there."""
    scheme, _, rest = without_password(address).partition("://")
    before, _, parameters = rest.partition("?")
    shown = "&".join(part for part in parameters.split("&") if part.partition("=")[0].strip().lower() != "user")
    return f"{scheme}://{before.rpartition('@')[2]}{'?' if shown else ''}{shown}"


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


def anchored_row(anchor: str) -> int:
    """The row that an anchor `<row>:<hash>` names; of what names none a higher one than there are (G1)."""
    number = anchor.partition(":")[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) < 18 else 10**18
