"""Golden tests: case files, test runs, snapshots, differences, and the pytest plugin.

Independent of engines: evaluation is a function argument. Import from the modules: this file stays empty, so that a
pytest session without cases only loads `plugin`.
"""
