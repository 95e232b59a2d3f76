"""The project's repository, through the git executable.

`locate` finds it by reading files; `repo.GitRepo` answers the application's questions; `diff`, `history` and `merge`
hold what decisions rest on and ask git only in the clean room (`room`), where no attribute, driver, replace ref or
configuration of anybody exists; `worktree` holds what needs the caller's files. `workshop.GitWorkshop` does things to
the repository: merges, exports, worktrees, checkpoints, through `gate`, which can write and runs nobody's programs.
"""
