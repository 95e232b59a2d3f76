"""Addresses of remotes: which of them say to everybody the same where they go, and who logs in there (Q6).

git, curl, ssh and whoever reads it take an address apart by rules of their own: in `http://one?@two/x` the host is
`one` for curl, `two` for who takes all before the `@` for a login; git decodes `%2F` in `ssh://…` before it looks for
the host, looks for `@[` in the path, too, and finds no port behind a password. So plain forms count, and no other one.
"""

from __future__ import annotations

import re

_NAME = r"[^\W_][\w.-]*"
_HOST = rf"(?:{_NAME}|\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(?:%[\w.-]+)?\])"
_LOGIN = r"(?:(?!-)[^\s@/?#\\\[\]]*@)?"
_AUTHORITY = re.compile(rf"{_LOGIN}{_HOST}(?::[0-9]*)?")
_URL = re.compile(r"(?P<scheme>[A-Za-z0-9][A-Za-z0-9+.-]*)://(?P<authority>[^/]*)(?P<path>.*)")
_SCP_LIKE = re.compile(rf"(?:(?!-)[^\s@/?#\\\[\]:]+@)?(?:{_NAME}|\[[\w:.%-]+\]):(?!.*@\[).*")
_PATH = re.compile(r"[^:]*|[^:/]*/.*")
_PORT = re.compile(r":[0-9]*$")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_WEB = ("http", "https")
_DECODED_FIRST = ("ssh", "git+ssh", "ssh+git", "git")


def is_comparable(address: str) -> bool:
    """Whether all who take it apart find the same host in it."""
    if _CONTROL.search(address):
        return False
    url = _URL.fullmatch(address)
    if url is None:
        return "://" not in address and bool(_PATH.fullmatch(address) or _SCP_LIKE.fullmatch(address))
    return url["scheme"] == "file" or _is_plain(url["scheme"].lower(), url["authority"], url["path"])


def _is_plain(scheme: str, authority: str, path: str) -> bool:
    if not _AUTHORITY.fullmatch(authority) or (scheme == "git" and "@" in authority):
        return False
    if scheme not in _DECODED_FIRST:
        return True
    from urllib.parse import unquote

    login, _, host = unquote(authority).rpartition("@")
    if not _AUTHORITY.fullmatch(unquote(authority)) or (":" in login and _PORT.search(host)):
        return False
    return "@[" not in unquote(path) and not _CONTROL.search(unquote(path))


def without_credentials(address: str) -> str:
    """An address without who logs in and by what: on the web both may be a secret, and both change. Of another one it
    is the password; what is not comparable stays as it is.
    """
    url = _URL.fullmatch(address)
    if url is None or url["scheme"] == "file" or not is_comparable(address):
        return address
    login, at, host = url["authority"].rpartition("@")
    kept = "" if url["scheme"].lower() in _WEB else f"{login.partition(':')[0]}{at}"
    return f"{url['scheme']}://{kept}{host}{url['path']}"
