"""Identifies the caller as an agent, person or service by observation (I1, I3, I5). A token is passed on unverified.
(I2)"""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping, Sequence
from itertools import takewhile

from msgspec.structs import replace

from foureyes.adapters.identity.environment import AgentMarks, read_marks
from foureyes.adapters.identity.process_tree import Process, ProcessTree, read_tree
from foureyes.adapters.identity.programs import OURS, agent_of, is_foureyes, is_git, launcher_of
from foureyes.core.nouns.session import HOST_MAP, NESTED, RUN_DIR, RUN_MARK, Actor, Namespaces
from foureyes.core.words.ids import session_of, token_hash
from foureyes.errors import Reason, Refused
from foureyes.steps import prose

TOKEN = "FOUREYES_TOKEN"  # noqa: S105  (a variable's name)
RUNS = {"check": "a check", "hook": "a hook", "agent": "a runner"}
UNREADABLE = "Not every ancestor of this process can be read"


def observe(environ: Mapping[str, str], *, asserted: str = "", programs: Sequence[str] = ()) -> Actor:
    """Return the caller, observed from the process tree and the environment.

    `asserted` is a name given with `--as`, and `programs` are those of the configured profiles. With a token, nothing
    else may change the identity (I2), and the store has to verify it. If `namespaces` is set, the caller may do nothing
    until it is decided whether this place is the project's home (I3).
    """
    token = token_in(environ)
    refuse_typed_name(token, asserted)
    return actor_from(read_tree(), environ, token=token, asserted=asserted, programs=programs)


def refuse_typed_name(token: str, asserted: str) -> None:
    """Refuse a typed name together with a token. (I2)"""
    if token and asserted:
        # No next step, because a token's bearer must not learn how to drop it.
        reason = Reason("I2", f"{TOKEN} is set, and with a token no name or other sign changes your identity")
        raise Refused("--as was refused", reasons=(reason,))


def token_in(environ: Mapping[str, str]) -> str:
    """Return the token: one issued by hand, otherwise that of the run. (I2)"""
    token = environ.get(TOKEN, "")
    if token or RUN_DIR not in environ:
        return token
    from foureyes.adapters.identity.environment import run_token

    return run_token(environ)


def actor_from(
    tree: ProcessTree, environ: Mapping[str, str], *, token: str = "", asserted: str = "", programs: Sequence[str] = ()
) -> Actor:
    """Like observe(), for a tree already read. `token` is the presented token."""
    actor = _seen(tree, environ, asserted=asserted, programs=programs, shows=bool(token))
    return replace(actor, token=token_hash(token)) if token else actor


def _seen(
    tree: ProcessTree, environ: Mapping[str, str], *, asserted: str, programs: Sequence[str], shows: bool
) -> Actor:
    user, host = _user(), os.uname().nodename
    ours = [above for above in tree.ancestors if is_foureyes(above.names, above.paths)]
    if ours or RUN_MARK in environ:
        actor = _within(tree, ours, environ.get(RUN_MARK, ""), f"{user}@{host}")
        actor = _below_a_runner(actor, tree, ours[0], programs) if ours and shows else actor
        return _asserted(actor, asserted) if asserted else actor
    marks = read_marks(environ)
    agents = [(name, above) for above in tree.ancestors if (name := agent_of(above.names, above.paths, programs))]
    left = _left_behind(tree, agents)
    if agents:
        actor = _agent(tree, agents, marks)
    elif marks.variables:
        actor = _marked_agent(marks, f"envonly:{user}@{host}")
    elif tree.terminal and (tree.readable or tree.forged) and left is None:
        actor = _person(tree, user, host)
    else:
        actor = _service(tree, user, host, left)
    actor = replace(actor, bound=left, git=_git(tree, tree.ancestors), namespaces=_namespaces(tree, programs))
    leader = next((above for above in tree.ancestors if above.pid == tree.leader), None)
    above = tuple(tree.evidence(process) for process in tree.ancestors)
    actor = replace(actor, host=host, ancestors=above, leader=tree.evidence(leader) if leader else "")
    return _asserted(actor, asserted) if asserted else actor


def _namespaces(tree: ProcessTree, programs: Sequence[str]) -> Namespaces | None:
    """Return the caller's place, to be judged later, or None on the machine itself. (I3)"""
    if tree.first and tree.uid_map == HOST_MAP and not tree.forged:
        return None
    names, paths = (tree.top.names, tree.top.paths) if tree.top else ((), ())
    return Namespaces(
        first=tree.first,
        top=names[0] if names else "",
        launcher=launcher_of(names, paths, programs),
        uid_map=tree.uid_map,
        forged=tree.forged,
    )


def _left_behind(tree: ProcessTree, agents: Sequence[tuple[str, Process]]) -> Reason | None:
    """Return why this process may not decide, or None: git started it, or an ended command left it at the terminal.
    (I5)

    Below an agent, only a git between the agent and this process counts, because the agent does not choose what git
    runs.
    """
    git = _git(tree, tree.ancestors[: tree.ancestors.index(agents[0][1])] if agents else tree.ancestors)
    if git is not None:
        return git[1]
    if tree.terminal and not tree.led and not agents and not tree.forged:
        message = (
            f"a command that has ended left this process at terminal {tree.terminal}, so its shell is not above it"
            if tree.leader
            else f"terminal {tree.terminal} belongs to a shell outside this pid namespace"
        )
        return Reason("I5", message, prose("type it in the shell itself"))
    return None


def _git(tree: ProcessTree, below: Sequence[Process]) -> tuple[str, Reason] | None:
    """Return the nearest git among these processes, and why its children may not decide. (I5)"""
    git = next((above for above in below if is_git(above.names)), None)
    if git is None:
        return None
    message = (
        f"{git.names[0]} (pid {git.pid}) started this, and commands from a hook, an alias, an editor or a pager decide"
    )
    return tree.evidence(git), Reason("I5", f"{message} nothing", prose("type it in the shell itself"))


def _within(tree: ProcessTree, ours: Sequence[Process], mark: str, place: str) -> Actor:
    """Return an actor without rights for a process started by Foureyes, whatever its terminal or agents. (I5)

    `ours` are its Foureyes ancestors. Its own ancestors end at the nearest of those, because a token given to a process
    further up is not the caller's (I2).
    """
    below = tree.ancestors[: tree.ancestors.index(ours[0])] if ours else ()
    command = next((above for above in ours if not OURS.isdisjoint(above.names)), None)
    within = _command(command) if command else RUNS.get(mark.partition(":")[0], "Foureyes")
    seen = (
        f"{within} (pid {(command or ours[0]).pid}) is an ancestor of this process."
        if ours
        else f"{RUN_MARK} is set in the environment."
    )
    evidence = f"within:{place}"
    return Actor(
        session=session_of(evidence),
        kind="service",
        trust="observed",
        host=place.rpartition("@")[2],
        evidence=(evidence,),
        ancestors=tuple(tree.evidence(above) for above in below),
        within=within,
        why=(seen, "What a check, a hook or the gate starts has no rights at all."),
    )


def _below_a_runner(actor: Actor, tree: ProcessTree, reaper: Process, programs: Sequence[str]) -> Actor:
    """Return the actor with the processes of the run that may have shown the token. (I2)

    The nearest Foureyes process above received the token, and the agents below it belong to the run. The caller has no
    rights until the store verifies the token.
    """
    below = tree.ancestors[: tree.ancestors.index(reaper) + 1]
    agents = [above for above in below if agent_of(above.names, above.paths, programs)]
    return replace(
        actor,
        git=_git(tree, below),
        ancestors=tuple(tree.evidence(above) for above in below),
        processes=tuple(tree.evidence(above) for above in agents),
    )


def _command(process: Process) -> str:
    """Return the command of a Foureyes process, as a user types it."""
    return " ".join(("fe", *takewhile(lambda word: word.isascii() and word.isalpha(), process.words)))


def _agent(tree: ProcessTree, agents: Sequence[tuple[str, Process]], marks: AgentMarks) -> Actor:
    """Return an agent. Every agent process above is evidence, and the nearest one determines the session. (I3)

    In a partly unreadable tree another agent may be hidden. Then the evidence still joins origins, but `processes`
    stays empty, so that it proves no independence. (G1)
    """
    evidence = tuple(tree.evidence(process) for _, process in agents)
    (nearest, process), *others = agents
    why = [f"{nearest} (pid {process.pid}) is an ancestor of this process."]
    if others:
        why[0] += " Above it: " + ", ".join(f"{name} (pid {above.pid})" for name, above in others) + "."
    if not tree.readable:
        why.append(f"{UNREADABLE}, so independence cannot be shown.")
    if marks.conversations:
        why.append(_conversations(marks))
    nested = (NESTED + evidence[0],) if any(name != nearest for name, _ in others) else ()
    return Actor(
        session=session_of(evidence[0]),
        kind="agent",
        trust="observed",
        agent=nearest,
        evidence=evidence + nested + marks.conversations,
        processes=evidence if tree.readable else (),
        why=tuple(why),
    )


def _marked_agent(marks: AgentMarks, otherwise: str) -> Actor:
    """Return an agent known only from the environment. That proves no independence. (I3)"""
    evidence = (*marks.conversations, otherwise)
    why = [
        f"{', '.join(marks.variables)} {'is' if len(marks.variables) == 1 else 'are'} set in the environment.",
        "No agent process is visible above this one, so independence cannot be shown.",
    ]
    return Actor(
        session=session_of(*evidence),
        kind="agent",
        trust="observed",
        agent=marks.agents[0],
        evidence=evidence,
        why=tuple(why),
    )


def _person(tree: ProcessTree, user: str, host: str) -> Actor:
    """Return a person at a terminal without an agent. Every terminal of the user gives the same person. (I5)"""
    person = f"{user}@{host}"
    return Actor(
        session=session_of(f"person:{person}"),
        kind="human",
        trust="observed",
        person=person,
        evidence=(f"person:{person}",),
        why=(f"Terminal {tree.terminal}, no agent among {_count(tree)}.", f"The OS user is {user}, the host {host}."),
    )


def _service(tree: ProcessTree, user: str, host: str, left: Reason | None) -> Actor:
    """Return a service: no terminal, unreadable ancestors, or no person who typed the command. (I5)"""
    evidence = f"service:{user}@{host}"
    why = [f"No agent among {_count(tree)}." if tree.readable else f"{UNREADABLE}."]
    if left is not None:
        why.insert(0, left.message[:1].upper() + left.message[1:] + ".")
    if not tree.terminal:
        why.insert(0, "This process has no terminal.")
    return Actor(session=session_of(evidence), kind="service", trust="observed", evidence=(evidence,), why=tuple(why))


def _asserted(actor: Actor, name: str) -> Actor:
    """Return the actor under a typed name, which may only log. It has a separate session but the same origin. (I1)"""
    return replace(
        actor,
        session=session_of(f"as:{name}", actor.session),
        trust="asserted",
        asserted_name=name,
        why=(f"The name {name} was given with --as, so it may only log.", *actor.why)[:3],
    )


def _user() -> str:
    """Return the OS user by uid, ignoring $USER. A uid without a name is `uid-<n>`."""
    uid = os.getuid()
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid-{uid}"


def _count(tree: ProcessTree) -> str:
    number = len(tree.ancestors)
    return f"{number} ancestor" if number == 1 else f"{number} ancestors"


def _conversations(marks: AgentMarks) -> str:
    names = ", ".join(part.split(":")[1] for part in marks.conversations)
    return f"The environment names the conversation: {names}."
