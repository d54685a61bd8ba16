"""The functions of the Lenses language."""
