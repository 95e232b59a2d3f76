-- How many failed in a run (D5); which tool found something, and what it knows it again by (L2).

ALTER TABLE checks ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;

ALTER TABLE findings ADD COLUMN tool TEXT NOT NULL DEFAULT '';
ALTER TABLE findings ADD COLUMN mark TEXT NOT NULL DEFAULT '';
