"""What an editor asks about a project: findings as one types, hovers, definitions, completion, fixes, formatting.

Answers are pure functions from a snapshot of the project, a path and a place in its text to frozen data; `server` is
the shell that speaks the Language Server Protocol. Places are offsets in code points; the shell turns them into lines
and the units that the client counts in (see `text`). Nothing is written, and no file outside of the project is read.
"""
