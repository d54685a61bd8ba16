"""Statements and topics to a typed plan: the rules of the languages. A folder per dialect over what both share."""
