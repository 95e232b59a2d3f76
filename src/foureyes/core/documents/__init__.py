"""Documents that agents and tools exchange, and the prompts that ask for them."""
