"""Language server: diagnostics, hovers, definitions, completion, fixes, formatting and cases of a project.

Answers are pure functions from a snapshot of the project, a path and an offset in its text to frozen data. `server`
implements the Language Server Protocol on top of them. Offsets are code points; the server converts them to lines and
the client's units (see `text`). No file is written, and no file outside of the project is read.
"""
