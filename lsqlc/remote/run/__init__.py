"""Run models as streaming queries: checkpoints, supervision, progress."""
