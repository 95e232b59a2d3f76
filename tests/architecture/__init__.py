"""The shape of the code: contracts, purity, the catalogue, documentation."""
