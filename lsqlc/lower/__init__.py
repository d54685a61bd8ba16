"""From a plan to what an engine executes: one package per engine, which share nothing below the plan."""
