"""Projects: configuration, discovery, Jinja, the graph of models, selection, the build cache. Knows nothing of engines.

Import from the modules: this one stays empty, so that an unchanged build loads no more than `cache`.
"""
