"""Moving a journal from one store to another: every row as it is, projected again. Hashes and seals stay valid."""

from __future__ import annotations

from contextlib import nullcontext

import msgspec

from foureyes.adapters.store.engine import Database, plain
from foureyes.adapters.store.journal import journal_rows
from foureyes.adapters.store.projections import apply
from foureyes.adapters.store.replay import check_chain, compare_tables
from foureyes.app.ports import CountProgress
from foureyes.errors import StoreProblem, VerificationFailed
from foureyes.steps import fe, prose


def copy_journal(
    source: Database, target: Database, total: int, progress: CountProgress | None = None, *, inside: bool = False
) -> int:
    """Fill an empty store from another one, in one transaction; verified before it counts. How many rows.

    `inside`: the source is in a transaction of the caller's already, so that nobody can write to it meanwhile.
    """
    with nullcontext() if inside else source.transaction(write=False), target.transaction(write=True):
        if next(journal_rows(target), None) is not None:
            raise StoreProblem(
                "there is a journal in that store already. Nothing was changed.", next_step=prose("name an empty one")
            )
        broken, _ = check_chain(source, total, None)
        if broken:
            raise VerificationFailed(
                f"the journal is not whole: {broken[0].message}. Nothing was changed.", next_step=fe("audit", "verify")
            )
        count, last = 0, ""
        for row in journal_rows(source):
            target.run("journal.insert", plain(msgspec.structs.asdict(row)))
            apply(target, row, row.event())
            count, last = row.seq, row.hash
            if progress is not None and count % 10_000 == 0:
                progress(count, total)
        target.run("journal.move_head", {"seq": count, "hash": last})
        differences = compare_tables(source, target)
        if differences:
            raise VerificationFailed(
                f"the copy is not equal: {differences[0].message}. Nothing was changed.",
                next_step=fe("audit", "verify"),
            )
    return count
