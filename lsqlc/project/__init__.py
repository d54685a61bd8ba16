"""Projects: configuration, discovery, Jinja, the graph of models, selection, the build cache. Independent of engines.

Import from the modules: this file stays empty, so that an unchanged build only loads `cache`.
"""
