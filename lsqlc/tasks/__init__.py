"""The use cases of commands: values in, values out. These modules do not print, and know no options."""

# The folder of a project in which lsqlc keeps what no other tool reads.
STATE_FOLDER = ".lsqlc"
