"""The project, its sessions, keys, policy and audit."""
