"""A dialect of the tests, which shows what a dialect is made of: a folder in three rooms, and a record."""
