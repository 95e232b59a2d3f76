"""The smallest words: ids, texts, globs, statuses, reasons for and against."""
