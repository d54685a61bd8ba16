"""Tables of PostgreSQL: rows and positions in one transaction of the database."""
