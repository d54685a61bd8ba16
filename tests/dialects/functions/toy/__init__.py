"""The functions of the toy language."""
