"""The headings under which `lsqlc --help` shows the verbs."""

from __future__ import annotations

from collections.abc import Mapping

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Project": ("init", "import", "debug", "ls", "fmt", "lint", "clean"),
    "Build and test": ("dev", "compile", "build", "test", "review", "diff", "functions"),
    "Run": ("plan", "seed", "produce", "run", "status", "stop", "tables", "deploy", "env", "state", "server"),
    "Read": ("query", "show", "letters", "check", "lineage", "docs", "explain"),
    "Kafka and schema registry": ("kafka", "topics", "schemas"),
    "Editors and programs": ("lsp", "mcp", "schema"),
}
