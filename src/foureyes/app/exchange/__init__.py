"""Import and export of findings, handoffs and settings in the formats of other tools."""
