"""The terminal app: the seat from which a person leads and reviews. Only this room imports Textual."""
