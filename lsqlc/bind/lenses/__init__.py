"""Binding of the Lenses language."""
