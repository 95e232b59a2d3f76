-- How decisions were made (H4, H5).

ALTER TABLE approvals ADD COLUMN look TEXT NOT NULL DEFAULT '{}';
ALTER TABLE feedback ADD COLUMN look TEXT NOT NULL DEFAULT '{}';
