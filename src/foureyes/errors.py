"""Errors and refusals: what happened, all the reasons, and the next command. (G2)

There is a subclass per situation. It gives the exit code of the command line and the `code` in JSON.
"""

from __future__ import annotations

import msgspec

from foureyes.steps import NO_STEP, Steps


class Reason(msgspec.Struct, frozen=True):
    """A reason for a refusal or a note: rule id, sentence, and next command, which may be empty."""

    rule: str
    message: str
    next: Steps = NO_STEP


class FoureyesError(Exception):
    """An error with a sentence that a person can act on. Subclasses set the code and the exit code."""

    code = "error"
    exit_code = 70

    def __init__(
        self, message: str, *, next_step: Steps = NO_STEP, reasons: tuple[Reason, ...] = (), task: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step
        self.reasons = reasons
        self.task = task

    @property
    def way_on(self) -> Steps:
        """The next step: its own, or that of the first reason."""
        return self.next_step or next((reason.next for reason in self.reasons if reason.next), NO_STEP)

    @property
    def in_a_line(self) -> str:
        """All reasons with their rules, or the sentence if there are none."""
        return "; ".join(f"{reason.message} ({reason.rule})" for reason in self.reasons) or self.message


class Refused(FoureyesError):
    """A rule does not allow it."""

    code = "refused"
    exit_code = 1


class TokenRefused(Refused):
    """A token that is not valid here. Nothing was done, and showing it was recorded. (I2)"""

    code = "token"


class BadInput(FoureyesError):
    """Invalid arguments. Nothing was done."""

    code = "usage"
    exit_code = 2


class AmbiguousId(BadInput):
    """The beginning of an id that fits several tasks."""

    code = "ambiguous"


class ConfigError(BadInput):
    """A configuration file or variable with an unknown key or an invalid value."""

    code = "config"


class NotFound(FoureyesError):
    """There is no such task, session, attempt or setting."""

    code = "not_found"
    exit_code = 3


class Conflict(FoureyesError):
    """Someone else was faster: a lost race, an old version, or a change that moved."""

    code = "conflict"
    exit_code = 4


class LostClaim(Conflict):
    """Another session holds the claim."""

    code = "lost_claim"


class LostRunner(Conflict):
    """Another runner took this one for dead. Its agents are ended, and it writes nothing more. (J4)"""

    code = "lost_runner"


class StaleState(Conflict):
    """The task changed since the caller read it. (T6)"""

    code = "stale"


class EnvironmentProblem(FoureyesError):
    """There is no project, git or store, or it cannot be used."""

    code = "environment"
    exit_code = 5


class NoProject(EnvironmentProblem):
    """There is no Foureyes project here or above."""

    code = "no_project"


class GitProblem(EnvironmentProblem):
    """git is missing, too old, or failed."""

    code = "git"


class RemoteProblem(GitProblem):
    """The git remote could not be reached, or did not accept a push. Nothing changed here.

    `kind` selects the text for people. Only `refused` decides something: the remote answered and refused, so that
    nothing of the push can arrive later (Q6).
    """

    code = "remote"

    def __init__(self, message: str, *, kind: str = "failed", next_step: Steps = NO_STEP) -> None:
        super().__init__(message, next_step=next_step)
        self.kind = kind


class AgentUnavailable(EnvironmentProblem):
    """An agent program is not installed, or cannot be started."""

    code = "agent"


class AgentMissing(AgentUnavailable):
    """An agent program is not installed, so no task on this machine can use it."""

    code = "agent_missing"


class StoreProblem(EnvironmentProblem):
    """The store cannot be opened, read or written."""

    code = "store"


class NoStore(StoreProblem):
    """The database can be reached, but has no store of this project."""

    code = "no_store"


class StoreBusy(StoreProblem):
    """Another writer has held the store for too long."""

    code = "busy"


class CutOff(FoureyesError):
    """A problem in the middle of work on several items. `done` has the results of the earlier ones. Code, exit code and
    reasons are those of the problem.
    """

    def __init__(self, message: str, *, of: FoureyesError, next_step: Steps, done: tuple[object, ...]) -> None:
        super().__init__(message, next_step=next_step, reasons=of.reasons, task=of.task)
        self.code, self.exit_code = of.code, of.exit_code
        self.done = done


class VerificationFailed(FoureyesError):
    """A check or a verification failed."""

    code = "verification"
    exit_code = 6


class Internal(FoureyesError):
    """A defect of Foureyes itself."""

    code = "internal"
    exit_code = 70
