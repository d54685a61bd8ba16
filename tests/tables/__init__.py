"""Tables that follow topics."""
