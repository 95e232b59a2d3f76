"""Creation of a project's folder. It is filled under a temporary name and then renamed, so that a crash leaves no
partial folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from foureyes.adapters.folders import folder as entered
from foureyes.adapters.folders import replace as replace_file
from foureyes.bootstrap.places import FOLDER, PROMPTS, is_project
from foureyes.errors import EnvironmentProblem
from foureyes.steps import prose

IGNORED = f"*\n!/{PROMPTS}/\n!/{PROMPTS}/**\n"
"""Content of `.foureyes/.gitignore`: everything except the prompt templates. (F4)"""


@contextmanager
def made_folder(folder: str) -> Iterator[str]:
    """Yield the project's folder if it exists, otherwise a temporary one that becomes it on success."""
    if is_project(folder):
        yield folder
        return
    temporary = f"{folder}.new-{os.getpid()}"
    try:
        os.mkdir(temporary)
        with entered(temporary) as place_of_files:
            replace_file(place_of_files, ".gitignore", IGNORED.encode(), 0o666)
        yield temporary
        _put_in_place(temporary, folder)
    except OSError as problem:
        raise EnvironmentProblem(
            f"{FOLDER}/ cannot be made here: {problem.strerror}. Nothing was changed.",
            next_step=prose("make the repository's directory writable for you"),
        ) from problem
    finally:
        if os.path.isdir(temporary):
            import shutil

            shutil.rmtree(temporary, ignore_errors=True)


def _put_in_place(temporary: str, folder: str) -> None:
    """Rename the folder into place. Prompt templates that were already checked out are moved into it."""
    if not os.path.isdir(folder):
        os.rename(temporary, folder)
        return
    os.rename(os.path.join(folder, PROMPTS), os.path.join(temporary, PROMPTS))
    os.rmdir(folder)
    os.rename(temporary, folder)
