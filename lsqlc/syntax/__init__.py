"""Text to statements: one module per dialect, which share the tokens and the expressions. Knows nothing of topics."""
