"""The graph of models, and which of them a command is for."""
