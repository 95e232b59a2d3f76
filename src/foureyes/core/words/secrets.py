"""Names of files that mostly hold a secret: what is in a commit once, stays in every clone."""

from __future__ import annotations

import re

_LIKELY = re.compile(
    r"""
    \.env | \.env\..+ | .+\.env                          # variables of a deployment
    | .+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc)  # keys and stores of keys
    | id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?               # ssh
    | credentials(?:\..+)? | .*[-_.]credentials(?:\..+)?
    | secrets?\.(?:ya?ml|json|toml|ini|env|txt)
    | service[-_]account.*\.json | client[-_]secret.*\.json
    | \.netrc | \.pgpass | \.pypirc | \.htpasswd | \.git-credentials
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SHOWN_TO_ALL = re.compile(r".*(?:example|sample|template|dist|\.pub)(?:\..*)?", re.IGNORECASE)
_CODE = re.compile(r".+\.(?:py|js|ts|go|rs|java|rb|php|c|h|cpp|cs|kt|swift|md|rst|html|sh)", re.IGNORECASE)


def is_likely_secret(path: str) -> bool:
    """Whether a file is called like one that holds a secret; patterns for others to fill in, and code, are not."""
    name = path.rpartition("/")[2]
    return bool(_LIKELY.fullmatch(name)) and not _SHOWN_TO_ALL.fullmatch(name) and not _CODE.fullmatch(name)
