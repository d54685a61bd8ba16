"""Storage formats of records: one folder each, and what they share. Knows no plans and no engines but by their SQL."""
