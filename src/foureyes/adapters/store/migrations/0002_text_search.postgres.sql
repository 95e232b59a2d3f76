-- Full-text search over what people write about a task; rowid is tasks.n. `folded` has no accents and no capitals.

CREATE TABLE task_text (
  rowid INTEGER PRIMARY KEY,
  folded TEXT NOT NULL,
  words TSVECTOR NOT NULL
);
CREATE INDEX task_text_words ON task_text USING gin (words);
