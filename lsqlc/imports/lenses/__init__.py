"""Lenses: processors, topics and schemas as it exports them."""
