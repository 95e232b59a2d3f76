"""Streams that somebody keeps elsewhere are read where their folder is named: FOUREYES_AGENT_STREAMS."""

import os

collect_ignore = [] if os.environ.get("FOUREYES_AGENT_STREAMS") else ["test_elsewhere.py"]
