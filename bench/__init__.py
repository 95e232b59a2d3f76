"""Figures of docs/performance.md, one script each. They print ratios: a time alone says more about the machine."""
