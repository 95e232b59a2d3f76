"""Where a tree has something at a place that its environment has, too (D5): the tree's would be used, with the name and
the trust of what was prepared.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from foureyes.adapters.checks.stand import OwnParts
from foureyes.app.ports import TreeFiles
from foureyes.core.nouns.check_config import CheckoutRule
from foureyes.core.words.fence import named

WHOLE = frozenset({".venv", "venv", "node_modules"})
"""Directories of which every file is an environment's: a new one in there is as good as another program."""
ALL = ("**",)


def refuse_own_parts(tree: str, environment: str, rule: CheckoutRule, files: TreeFiles) -> str:
    """D5: an attempt that changes what `prepare` makes does not run, and fails by that. What the target has or had
    there, too, somebody agreed to; and inputs are what an environment is known by. The tree of the target for which
    alone it may run; empty where that is on record.
    """
    places = list(overlaps(tree, environment, WHOLE))
    if not places:
        return ""
    now, before = files.listed(ALL), files.agreed()
    own = [
        path
        for path in sorted(now.keys() - files.listed(rule.inputs).keys())
        if any(path == place or path.startswith(f"{place}/") for place in places)
        and not any(now[path] == had.get(path) for had in before)
    ]
    beside = files.agreed_beside() if own else {}
    for path in own:
        if now[path] != beside.get(path):
            is_older = any(now[path] == had.get(path) for had in files.of_target(ALL))
            raise OwnParts(_older(path) if is_older else _changed(path))
    return files.beside if own else ""


def _changed(path: str) -> str:
    where = f"it changes {named(path)}, where checkout.prepare makes something"
    return f"{where}: take that out of the tree, or name it in checkout.extra_inputs"


def _older(path: str) -> str:
    """What a commit by hand brought is not the change's: it can take nothing out."""
    where = f"{named(path)} lies where checkout.prepare makes something; it was there where the change begins"
    return (
        f"{where}, and the last merge on record lacks it: take it off the target, or name it in checkout.extra_inputs"
    )


def overlaps(tree: str, environment: str, whole: frozenset[str] = frozenset(), here: str = "") -> Iterator[str]:
    """The paths at which both have something; of directories that both have, those inside, or, if called like one of
    `whole`, their own.
    """
    for name in _names(os.path.join(tree, here)):
        path = os.path.join(here, name)
        if not os.path.lexists(os.path.join(environment, path)):
            continue
        both = _is_folder(os.path.join(tree, path)) and _is_folder(os.path.join(environment, path))
        if both and name not in whole:
            yield from overlaps(tree, environment, whole, path)
        else:
            yield path


def _names(folder: str) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries)


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)
