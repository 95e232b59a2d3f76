"""Other people's files: findings, handoffs and settings of other tools."""
