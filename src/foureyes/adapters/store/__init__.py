"""The store: a hash-chained journal and the tables it projects onto. Only this folder knows SQL."""
