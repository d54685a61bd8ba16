"""The Lenses language: its statements, clauses and expressions, parsed and formatted."""
