"""The store: a hash-chained journal and the tables projected from it. All SQL is in this package."""
