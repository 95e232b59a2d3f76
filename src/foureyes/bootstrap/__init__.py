"""Composition root: the only package that knows every concrete class.

`wiring` opens a project. `init`, `join`, `restore` and `store_move` create or replace a store while no Application is
open over it. `agent_setup` needs no project.
"""
