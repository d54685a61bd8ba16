"""A search for records with which two versions of a model give different rows.

Random sequences of records are evaluated with both plans on DuckDB. The values are few, so that keys meet. They are
near the constants of both plans, so that conditions are true, false and null. The first difference is made smaller. A
search proves a difference, and never that there is none.
"""
