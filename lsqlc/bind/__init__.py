"""From statements and topics to a typed plan: the rules of the languages. There is a folder for each dialect."""
