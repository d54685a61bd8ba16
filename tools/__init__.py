"""What works on lsqlc, and is no part of it."""
