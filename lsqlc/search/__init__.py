"""A search for records with which two versions of a model give different rows.

Random sequences of records are evaluated with both plans on DuckDB. The values come from few kinds, and from the
constants of both plans and their neighbours, so that keys meet and conditions are true, false and null. The first
difference is made smaller. A search proves a difference, and never that there is none.
"""
