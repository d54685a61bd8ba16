"""The binder of the toy language."""
