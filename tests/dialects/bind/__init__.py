"""Stands beside the room of that name, and holds what the toy language adds to it."""
