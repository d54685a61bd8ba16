"""Models as templates: what they may call, and how they are rendered in a sandbox."""
