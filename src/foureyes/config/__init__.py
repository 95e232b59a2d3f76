"""Configuration: every key, how it is read, which layer wins, and the policy that comes of it (P12)."""
