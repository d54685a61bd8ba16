"""What a command does: values in, values out. Nothing here prints, and nothing here knows of options."""

# The folder of a project in which lsqlc keeps what no other tool reads.
STATE_FOLDER = ".lsqlc"
