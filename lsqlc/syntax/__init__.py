"""From text to statements: one folder per dialect, with shared tokens and expressions. Knows no topics."""
