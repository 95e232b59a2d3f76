-- Full-text search over what people write about a task; rowid is tasks.n.

CREATE VIRTUAL TABLE task_text USING fts5 (title, description, acceptance, tokenize = 'unicode61 remove_diacritics 2');
