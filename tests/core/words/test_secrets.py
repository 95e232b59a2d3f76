"""What is called like a secret."""

from __future__ import annotations

from foureyes.core.words.paths import is_likely_secret


def test_what_mostly_holds_a_secret_is_told_by_its_name() -> None:
    secret = ".env .env.local prod.env a/b/server.pem deploy.key id_rsa keys/id_ed25519 credentials credentials.json"
    secret += " aws-credentials.csv secrets.yml Secret.JSON .netrc store.p12 service-account-7.json .ENV"
    assert [path for path in secret.split() if not is_likely_secret(path)] == []


def test_patterns_public_halves_and_code_are_none() -> None:
    plain = ".env.example env.py id_rsa.pub credentials.py credentials.md keys.py secret.py .envrc.sample key pem.txt"
    assert [path for path in plain.split() if is_likely_secret(path)] == []
