"""Plugs the rooms together: the only room that knows every concrete class.

`wiring` opens a project; `creating`, `restoring` and `moving` are what happens to a project while no Application can be
open over it; `instructing` needs none.
"""
