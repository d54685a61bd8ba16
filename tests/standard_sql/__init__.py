"""Models in standard SQL."""
