"""The keys of `[work]` and `[checkout]`: who gets a worktree, how the environment of checks and worktrees is made, and
what they see (K1, D5).
"""

from __future__ import annotations

from foureyes.config.setting import Setting
from foureyes.core.nouns.check_config import INPUTS, ISOLATIONS, CheckoutRule
from foureyes.core.rules.policy import WORKTREE_FOR, ReviewPolicy

CHECKOUT: tuple[Setting, ...] = (
    Setting(
        key="work.worktree",
        of=ReviewPolicy,
        kind="choice",
        allowed=WORKTREE_FOR,
        meaning="whose claims come with a worktree of their own, where they do not say (K1)",
    ),
    Setting(
        key="work.copy",
        of=ReviewPolicy,
        field="copies",
        kind="list",
        meaning="globs; files of the main checkout that git ignores (.env …); each worktree gets a copy (K1)",
    ),
    Setting(
        key="checkout.prepare",
        of=CheckoutRule,
        kind="text",
        meaning="makes the environment of checks and worktrees (npm ci …); sees the inputs of a tree only (D5)",
    ),
    Setting(
        key="checkout.extra_inputs",
        of=CheckoutRule,
        field="inputs",
        builtin=INPUTS,
        kind="list",
        meaning="globs; what prepare sees, and what another environment is made for when it changes (D5)",
    ),
    Setting(
        key="checkout.build",
        of=CheckoutRule,
        kind="text",
        meaning="runs before each check in its own copy of the tree, e.g. to install the project itself (D5)",
    ),
    Setting(
        key="checkout.keep",
        of=CheckoutRule,
        kind="list",
        meaning="paths of what prepare leaves in the tree that are kept (.venv …); empty: all of it (D5)",
    ),
    Setting(
        key="checkout.env",
        of=CheckoutRule,
        kind="list",
        meaning="variables of whoever runs the checks that prepare and build get (D5)",
    ),
    Setting(
        key="checkout.isolation",
        of=CheckoutRule,
        kind="choice",
        allowed=ISOLATIONS,
        meaning="auto: with prepare or build, and where the kernel lets us, a check sees no home, store or checkout; "
        "full: always, or it does not run; none: never (D5)",
    ),
    Setting(
        key="checkout.writes",
        of=CheckoutRule,
        kind="list",
        meaning="globs; files of the tree that build may change (src/pkg/_version.py …); any other makes the run "
        "unsound (D5)",
    ),
)
