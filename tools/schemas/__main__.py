"""Write the JSON Schemas of the files that people write: `python -m tools.schemas`."""

from tools.schemas import write

write()
