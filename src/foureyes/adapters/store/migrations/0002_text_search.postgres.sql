-- Full-text search over what people write about a task; rowid is tasks.n.

CREATE TABLE task_text (
  rowid INTEGER PRIMARY KEY,
  words TSVECTOR NOT NULL
);
CREATE INDEX task_text_words ON task_text USING gin (words);
