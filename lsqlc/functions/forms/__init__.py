"""Texts of operators, casts, literals and patterns on both engines, which the functions of every dialect use."""
