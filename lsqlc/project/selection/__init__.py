"""The graph of models, and the selection of models for a command."""
