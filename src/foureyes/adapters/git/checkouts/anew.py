"""A repository of its own, with one commit: for a project that goes when it was used."""

from __future__ import annotations

from foureyes.adapters import process
from foureyes.adapters.git.client.answers import last_words
from foureyes.adapters.git.client.git import EMAIL, NAME, READ_TIMEOUT, scrubbed
from foureyes.errors import GitProblem

BRANCH = "main"
WHO = ("-c", f"user.name={NAME}", "-c", f"user.email={EMAIL}")
SILENT = ("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", "-c", "core.autocrlf=false")


def begin(root: str, message: str) -> None:
    """Everything that lies in a directory becomes the first commit of a repository there; nobody's configuration has a
    word in it.
    """
    for words in (
        ("init", "-q", "-b", BRANCH, "--template="),
        ("config", "user.name", NAME),
        ("config", "user.email", EMAIL),
        (*SILENT, "add", "--all", "--force"),
        (*WHO, *SILENT, "commit", "-q", "--no-verify", "-m", message),
    ):
        done = process.run(["git", *words], cwd=root, env=scrubbed(), timeout=READ_TIMEOUT)
        if done.rc != 0:
            raise GitProblem(f"a repository of its own cannot be made: {last_words(done)}")
