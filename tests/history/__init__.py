"""What releases wrote: programs, plans, stages, manifests, rows and checkpoints, read again by the tests."""
