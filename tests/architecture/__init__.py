"""The shape of the house: contracts, purity, ceilings, start-up, documentation."""
