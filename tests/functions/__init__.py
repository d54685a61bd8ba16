"""Tests of the function catalogue: what both engines give, and what the declarations say."""
