"""Golden tests: cases, running them, snapshots, differences, the pytest plugin.

Knows nothing of engines: evaluation is a function that is handed in.

Import from the modules: this one stays empty, so that a pytest session without cases loads no more than `plugin`.
"""
