"""Functions that no dialect has: plans that lsqlc itself makes call them."""
