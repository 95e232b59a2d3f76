"""A3: whether a new head is the approved change and nothing else."""

from __future__ import annotations

from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.reading.history import KnownCommit, back, is_ancestor, known, merge_base, merged_by
from foureyes.adapters.git.reading.three_way import three_way
from foureyes.core.nouns.attempt import Relation, relation
from foureyes.core.words.ids import Sha


def relation_of(git: Git, *, base: Sha, head: Sha, new_head: Sha, tip: Sha) -> Relation:
    """What `new_head` is to the approved base..head, where `tip` is the target's commit. Unknown commits: rework."""
    was_base, was, now = known(git, base, head, new_head)
    if was_base is None or was is None or now is None:
        return "rework"
    if was.commit == now.commit:
        return relation(same_head=True, same_tree=True, same_base=True, mechanical=False)
    new_base = _new_base(git, was_base.commit, was.commit, now.commit, tip)
    return relation(
        same_head=False,
        same_tree=was.tree == now.tree,
        same_base=new_base == was_base.commit,
        mechanical=_is_mechanical(git, was_base, was, now, new_base),
    )


def _new_base(git: Git, base: Sha, head: Sha, new_head: Sha, tip: Sha) -> Sha | None:
    """Where the new head's own change begins: where it left the target."""
    new_base = merge_base(git, tip, new_head)
    return _base_before_merge(git, base, head, new_head, tip) if new_base == new_head else new_base


def _base_before_merge(git: Git, base: Sha, head: Sha, new_head: Sha, tip: Sha) -> Sha | None:
    """Where a new head that is on the target by now began.

    It would be its own base, and any change whatever that contains the approved one would pass for a rebase of it. A
    merge commit tells where the target stood before; after a fast-forward it is as many commits back as were approved.
    """
    merge = merged_by(git, new_head, tip)
    if merge is not None and merge != new_head:
        before = back(git, merge, 1)
        return merge_base(git, before, new_head) if before else None
    steps = int(git.room("rev-list", "--count", f"{base}..{head}", history=(base, head)).out)
    began = back(git, new_head, steps)
    return began if began and is_ancestor(git, base, began) else None


def _is_mechanical(git: Git, base: KnownCommit, head: KnownCommit, now: KnownCommit, new_base: Sha | None) -> bool:
    """Whether git, by itself and without a conflict, makes the new head's tree of the approved change and the new base.

    Only forward: the new base contains the old one. A new head that adds nothing to its base is not the approved
    change, whatever became of that.
    """
    if new_base is None or new_base == base.commit:
        return False
    if not (is_ancestor(git, base.commit, new_base) and is_ancestor(git, base.commit, head.commit)):
        return False
    (onto,) = known(git, new_base)
    if onto is None or onto.tree == now.tree:
        return False
    # What was approved is base..head as a whole, so it is merged by that base: where the target took in a part of the
    # change and reverted it, history would let git leave that part out.
    return three_way(git, base=base.tree, ours=onto.tree, theirs=head.tree).tree == now.tree
