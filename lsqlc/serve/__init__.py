"""`lsqlc serve`: the current rows of TABLEs in memory, which follow their topics, and the protocols that query them."""
