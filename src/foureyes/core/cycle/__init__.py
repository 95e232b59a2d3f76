"""Review cycles: when one begins, who is asked, and what the answers come to (V). Pure."""
