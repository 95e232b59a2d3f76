"""Fixed words: verdicts (V5), quick issues (F1), kinds of exceptions (P8), claimed results (D5)."""

from __future__ import annotations

from typing import Literal

# ---- Kinds of exceptions (P8) ----

ExceptionKind = Literal[
    "creator_approval",
    "repeat_reviewer",
    "self_review",
    "same_origin",
    "minor",
    "self_close",
    "break_glass",
    "waiver",
    "finding_withdrawn",
    "blockers_set_aside",
    "tests_gone",
    "check_accepted",
    "attribution_cleared",
    "merged_by_hand",
    "merged_unapproved",
    "token_elsewhere",
    "key_added",
    "key_retired",
    "restore",
    "store_adopted",
    "merges_moved",
    "target_set_back",
    "remote_moved",
]
NoException = Literal[""]

MEANINGS: dict[ExceptionKind, str] = {
    "creator_approval": "an agent approved, reviewed or ruled on work on a task that it planned or delegated (P3)",
    "repeat_reviewer": "an agent approved, reviewed or ruled after it had judged an earlier attempt (P5)",
    "self_review": "an author approved their own work with a declaration, under policy trusted (P2)",
    "same_origin": "a session of an author's origin approved, where `review.same_origin` is `audit` (I4)",
    "minor": "an author approved or closed its own minor task (P1)",
    "self_close": "an author closed their own work (C1)",
    "break_glass": "a person approved all the same (N3)",
    "waiver": "a person let a blocking finding pass for a while (E3)",
    "finding_withdrawn": "a person withdrew a blocking finding that someone else had raised (L4)",
    "blockers_set_aside": "a person set aside the blockers of an agent that may not stop a task (R1)",
    "tests_gone": "a person agreed to a change that takes tests of the target away (D5)",
    "check_accepted": "a person accepted a check that is red on the target as well (D5)",
    "attribution_cleared": "a person said that a commit's trailer names an author wrongly (I8)",
    "merged_by_hand": "work was merged by hand that was held, no longer approved, or changed",
    "merged_unapproved": "work that was closed without an approval turned up on the target branch (C2)",
    "token_elsewhere": "a token was shown where it is not good, and was refused (I2)",
    "key_added": "a person's key counts from now on (I9)",
    "key_retired": "a person's key counts no more (I9)",
    "restore": "a person put a backup in the store's place (J2)",
    "store_adopted": "a person took up a store that was found elsewhere, or lacks a merge on the target (P12)",
    "merges_moved": "a person said that another clone merges from now on (Q6)",
    "target_set_back": "a person said that the target lacks merges on purpose (Q6)",
    "remote_moved": "a person said that the remote of a clone is at another address from now on (Q6)",
}
"""The meaning of each exception, for auditors."""


# ---- Claimed results (D5) ----

CLAIMED = "claimed: an agent or an author ran it, so it decides nothing by itself"
"""The note on a check whose only result is claimed. (D5)"""


# ---- Quick issues (F1) ----

QUICK_ISSUES = (
    "Tests incomplete",
    "Code style issues",
    "Missing error handling",
    "Performance concerns",
    "Security issues",
)
"""Common problems to select instead of typing them. (F1)"""


# ---- Verdicts (V5) ----

Verdict = Literal["approved", "concerns", "blocker"]
VERDICTS: tuple[Verdict, ...] = ("approved", "concerns", "blocker")
