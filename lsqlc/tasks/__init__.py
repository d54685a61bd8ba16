"""What verbs do: values in, values out. They print nothing."""
