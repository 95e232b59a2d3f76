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
    "creator_approval": "an agent approved, reviewed or ruled on a task that it had created or delegated (P3)",
    "repeat_reviewer": "an agent approved, reviewed or ruled after it had judged an earlier attempt (P5)",
    "self_review": "an author approved their own work with a declaration, under policy trusted (P2)",
    "same_origin": "someone who shares an author's origin approved, which `review.same_origin = audit` allows (I4)",
    "minor": "an author approved or closed its own minor task (P1)",
    "self_close": "an author closed their own work (C1)",
    "break_glass": "a person approved against the rules (N3)",
    "waiver": "a person waived a blocking finding for some days (E3)",
    "finding_withdrawn": "a person withdrew a blocking finding that someone else had raised (L4)",
    "blockers_set_aside": "a person dismissed the blockers of an agent that may not stop a task (R1)",
    "tests_gone": "a person approved a change that removes tests (D5)",
    "check_accepted": "a person accepted a check that is red on the target too (D5)",
    "attribution_cleared": "a person corrected an author that a commit trailer named wrongly (I8)",
    "merged_by_hand": "work was merged by hand although it was held, no longer approved, or changed",
    "merged_unapproved": "work closed without an approval appeared on the target branch (C2)",
    "token_elsewhere": "a token was used where it is not valid, and was refused (I2)",
    "key_added": "a person's key was added (I9)",
    "key_retired": "a person's key was retired (I9)",
    "restore": "a person restored a backup (J2)",
    "store_adopted": "a person adopted a store that was moved, or that lacks a merge on the target (P12)",
    "merges_moved": "a person moved merging to another clone (Q6)",
    "target_set_back": "a person confirmed that the target lacks merges on purpose (Q6)",
    "remote_moved": "a person changed the recorded address of a remote (Q6)",
}
"""The meaning of each exception, for auditors."""


# ---- Claimed results (D5) ----

CLAIMED = "claimed: only an agent or an author ran it, so it does not count"
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
