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
    left = "nothing was changed"
    """How things are now; a caller that changed something before the problem came says so."""

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
        """All reasons, each with its rule; the sentence where it has none."""
        return ", and ".join(f"{reason.message} ({reason.rule})" for reason in self.reasons) or self.message


class Refused(FoureyesError):
    """A rule refuses it."""

    code = "refused"
    exit_code = 1


class TokenRefused(Refused):
    """The token is not valid here. Nothing was done, and its use is recorded. (I2)"""

    code = "token"
    left = "it is on record: fe audit log --exceptions"


class BadInput(FoureyesError):
    """Invalid arguments. Nothing was executed."""

    code = "usage"
    exit_code = 2


class AmbiguousId(BadInput):
    """An id prefix of several tasks."""

    code = "ambiguous"


class ConfigError(BadInput):
    """A configuration file or variable with an unknown key or an invalid value."""

    code = "config"


class NotFound(FoureyesError):
    """There is no such task, session, attempt or setting."""

    code = "not_found"
    exit_code = 3


class Conflict(FoureyesError):
    """Someone else was faster: a lost race, a stale version or a change that moved."""

    code = "conflict"
    exit_code = 4


class LostClaim(Conflict):
    """Another session holds the claim."""

    code = "lost_claim"


class LostRunner(Conflict):
    """Another runner took over from this one. Its agents have ended, and it writes nothing more. (J4)"""

    code = "lost_runner"


class StaleState(Conflict):
    """The task has changed since the caller read it. (T6)"""

    code = "stale"


class EnvironmentProblem(FoureyesError):
    """Project, git or store is missing or unusable."""

    code = "environment"
    exit_code = 5


class NoProject(EnvironmentProblem):
    """No Foureyes project in this directory or above."""

    code = "no_project"


class GitProblem(EnvironmentProblem):
    """git is missing, too old, or failed."""

    code = "git"


class RemoteProblem(GitProblem):
    """The git remote could not be reached, or did not accept the push. Nothing changed here.

    `kind` selects the text for people. Only `refused` decides something: the remote answered and refused, so that
    nothing of the push can arrive later (Q6).
    """

    code = "remote"

    def __init__(self, message: str, *, kind: str = "failed", next_step: Steps = NO_STEP) -> None:
        super().__init__(message, next_step=next_step)
        self.kind = kind


class AgentUnavailable(EnvironmentProblem):
    """An agent program cannot be started."""

    code = "agent"


class AgentMissing(AgentUnavailable):
    """An agent program is not installed on this machine."""

    code = "agent_missing"


class StoreProblem(EnvironmentProblem):
    """The store cannot be opened, read or written."""

    code = "store"


class NoStore(StoreProblem):
    """The database has no store of this project."""

    code = "no_store"


class StoreBusy(StoreProblem):
    """Another writer held the store for too long."""

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
