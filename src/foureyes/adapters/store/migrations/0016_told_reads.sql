-- Which files a reviewer says it read and its program's stream does not tell of (V6).

ALTER TABLE reviews ADD COLUMN untold TEXT NOT NULL DEFAULT '[]';
