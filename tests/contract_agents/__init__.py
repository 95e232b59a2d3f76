"""The real agent programs, driven by a scripted model: `make test-agents`. No part of `make test`."""
