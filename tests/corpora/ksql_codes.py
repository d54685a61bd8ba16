"""Which of our codes name the rule that a message of ksqlDB names."""

from __future__ import annotations

import re

_RULES: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (pattern, frozenset(codes.split()))
    for pattern, codes in (
        (r"must include the .+ in its projection|missing (in|from) (the )?projection|Key.* missing", "LSQ350"),
        (r"more than once", "LSQ351"),
        (r"contains no value columns|no value columns", "LSQ352"),
        (r"Reserved column name|is a reserved column name", "LSQ353"),
        (r"Duplicate (value|key)? ?columns? found|would clash|duplicate column|Duplicate field", "LSQ305"),
        (r"Duplicate (GROUP|PARTITION) BY expression", "LSQ371"),
        (r"not a valid stream/table name or alias|cannot be resolved", "LSQ201 LSQ364"),
        (r"Unknown column|Column .* not found", "LSQ201 LSQ364"),
        (r"is ambiguous", "LSQ203"),
        (r"Map keys, including", "LSQ365"),
        (r"does not exist|[Uu]nknown (source|stream|table)", "LSQ200"),
        (r"types don't match", "LSQ359"),
        (r"Cannot compare|Unsupported arithmetic types|Operator .* cannot be used", "LSQ213 LSQ212"),
        (r"operator does not exist|invalid input syntax for type|mismatching types", "LSQ213"),
        (r"Cast of .* is not supported", "LSQ214"),
        (r"[Cc]omparison with NULL", "LSQ369"),
        (r"branches have NULL type|all NULL elements|with all NULL values", "LSQ368"),
        (r"constructor cannot be empty", "LSQ208 LSQ215"),
        (r"does not define any columns", "LSQ375"),
        (r"Can't infer a type of null", "LSQ368"),
        (r"require to join on the (table's )?primary key|require(s)? to join on the primary key", "LSQ356"),
        (r"on a foreign key is not supported|foreign-key table-table joins are not supported", "LSQ357"),
        (r"must reference exactly one source|must contain references from exactly one source", "LSQ335"),
        (r"Unsupported join|Join criteria|JOIN criteria", "LSQ335"),
        (r"self joins are not|joining? .* to itself", "LSQ358"),
        (r"multiple occurrences of the same source", "LSQ338 LSQ358"),
        (r"number of partitions don't match", "LSQ360"),
        (r"windowed sources|Windowed sources is not|not windowed|windowed source to", "LSQ361 LSQ362"),
        (r"Implicit repartitioning of windowed", "LSQ361"),
        (r"Windowed sources require a key", "LSQ362"),
        (r"WINDOW_SIZE is invalid|WINDOW_TYPE|Invalid duration", "LSQ362"),
        (r"persistent queries on windowed tables", "LSQ363"),
        (r"Window bounds column", "LSQ364"),
        (r"not part of GROUP BY", "LSQ311 LSQ322"),
        (r"requires aggregate functions", "LSQ323"),
        (r"does not support aggregate functions|Aggregate functions are not allowed|aggregate functions not", "LSQ313"),
        (r"WINDOW clause requires a GROUP BY", "LSQ318"),
        (r"'KAFKA' (value )?format|'NONE' format|format does not support|Key format specified", "LSQ365"),
        (r"INSERT INTO can only be used to insert into a stream", "LSQ366"),
        (r"read-only", "LSQ367"),
        (r"Sink schema is|Incompatible schema", "LSQ328"),
        (r"PARTITION BY multiple columns including NULL", "LSQ370"),
        (r"full-outer join not supported|Invalid join type|Invalid join order|join not supported", "LSQ331"),
        (r"WITHIN clause specified|must have a WITHIN", "LSQ332"),
        (r"cannot be applied to a table source", "LSQ314"),
        (r"Invalid result type", "LSQ373"),
        (r"equality join", "LSQ335"),
        (r"window definition was provided", "LSQ334"),
        (r"EMIT FINAL", "LSQ383"),
        (r"require a PRIMARY KEY|is a 'PRIMARY KEY' column|is a 'KEY' column", "LSQ377"),
        (r"already exists", "LSQ381"),
        (r"Missing required property|WITH clause|missing the '\w+' property|Unknown format", "LSQ374 LSQ375"),
        (r"PARTITION BY .*(tables|only)|PARTITION BY is not supported", "LSQ372"),
        (r"Can't find any functions|Function '.*' (does not|not)", "LSQ206 LSQ208 LSQ209"),
        (r"HAVING", "LSQ317 LSQ311"),
        (r"Should evaluate to boolean|boolean", "LSQ210"),
        (r"table functions|Table functions", "LSQ382"),
        (r"[Ss]yntax [Ee]rror|mismatched input|extraneous input|no viable", "LSQ102 LSQ104 LSQ130"),
    )
)


def codes_of(message: str) -> frozenset[str]:
    """All codes that name the message's rule; none for a message that no rule of ours covers."""
    return frozenset(code for pattern, codes in _RULES if re.search(pattern, message) for code in codes)
