"""SQL as text, made once: how each engine quotes names and texts, and a writer for statements.

Names are quoted and texts are escaped here and nowhere else. Text that was made is not taken apart again: what is
needed twice, such as the columns of a row, travels as a tuple of names and is written where it is needed.
"""
