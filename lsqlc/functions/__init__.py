"""The catalogue of functions, casts and operators: each declared once, with types and engine forms."""
