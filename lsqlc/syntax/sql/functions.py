"""Functions with a node in sqlglot's tree, by Spark's name, with the arguments in Spark's order.

Any other function is an `exp.Anonymous` with the name in the text. A node that is not here is not supported.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

# Names of Spark with one node in the parser are one function here: LENGTH, CHAR_LENGTH and LEN.
CALLS: Mapping[type[exp.Expr], tuple[str, tuple[str, ...]]] = {
    exp.Upper: ("UPPER", ("this",)),
    exp.Lower: ("LOWER", ("this",)),
    exp.Length: ("LENGTH", ("this",)),
    exp.Substring: ("SUBSTRING", ("this", "start", "length")),
    exp.Replace: ("REPLACE", ("this", "expression", "replacement")),
    exp.Reverse: ("REVERSE", ("this",)),
    exp.Contains: ("CONTAINS", ("this", "expression")),
    exp.StartsWith: ("STARTSWITH", ("this", "expression")),
    exp.EndsWith: ("ENDSWITH", ("this", "expression")),
    exp.Chr: ("CHR", ("expressions",)),
    exp.GenerateSeries: ("SEQUENCE", ("start", "end", "step")),
    exp.Left: ("LEFT", ("this", "expression")),
    exp.Right: ("RIGHT", ("this", "expression")),
    exp.Concat: ("CONCAT", ("expressions",)),
    exp.ConcatWs: ("CONCAT_WS", ("expressions",)),
    exp.Abs: ("ABS", ("this",)),
    exp.Ceil: ("CEIL", ("this", "decimals")),
    exp.Floor: ("FLOOR", ("this", "decimals")),
    exp.Round: ("ROUND", ("this", "decimals")),
    exp.Sign: ("SIGN", ("this",)),
    exp.Sqrt: ("SQRT", ("this",)),
    exp.Cbrt: ("CBRT", ("this",)),
    exp.Exp: ("EXP", ("this",)),
    exp.Ln: ("LN", ("this",)),
    exp.Pow: ("POWER", ("this", "expression")),
    exp.Negative: ("NEGATIVE", ("this",)),
    exp.Sin: ("SIN", ("this",)),
    exp.Cos: ("COS", ("this",)),
    exp.Tan: ("TAN", ("this",)),
    exp.Asin: ("ASIN", ("this",)),
    exp.Acos: ("ACOS", ("this",)),
    exp.Atan: ("ATAN", ("this",)),
    exp.Atan2: ("ATAN2", ("this", "expression")),
    exp.Sinh: ("SINH", ("this",)),
    exp.Cosh: ("COSH", ("this",)),
    exp.Tanh: ("TANH", ("this",)),
    exp.Degrees: ("DEGREES", ("this",)),
    exp.Radians: ("RADIANS", ("this",)),
    exp.Greatest: ("GREATEST", ("this", "expressions")),
    exp.Least: ("LEAST", ("this", "expressions")),
    exp.Coalesce: ("COALESCE", ("this", "expressions")),
    exp.Nullif: ("NULLIF", ("this", "expression")),
    exp.ArraySize: ("SIZE", ("this",)),
    exp.ArrayDistinct: ("ARRAY_DISTINCT", ("this",)),
    exp.ArrayExcept: ("ARRAY_EXCEPT", ("this", "expression")),
    exp.ArrayIntersect: ("ARRAY_INTERSECT", ("expressions",)),
    exp.Flatten: ("FLATTEN", ("this",)),
    exp.ArrayContains: ("ARRAY_CONTAINS", ("this", "expression")),
    exp.UnixMillis: ("UNIX_MILLIS", ("this",)),
    exp.MapKeys: ("MAP_KEYS", ("this",)),
    exp.Year: ("YEAR", ("this",)),
    exp.Quarter: ("QUARTER", ("this",)),
    exp.Month: ("MONTH", ("this",)),
    exp.WeekOfYear: ("WEEKOFYEAR", ("this",)),
    exp.Day: ("DAY", ("this",)),
    exp.DayOfMonth: ("DAY", ("this",)),
    exp.Hour: ("HOUR", ("this",)),
    exp.Minute: ("MINUTE", ("this",)),
    exp.Second: ("SECOND", ("this",)),
    exp.BitLength: ("BIT_LENGTH", ("this",)),
    exp.MD5: ("MD5", ("this",)),
    exp.SHA: ("SHA1", ("this",)),
    exp.RegexpLike: ("REGEXP_LIKE", ("this", "expression")),
    exp.RegexpReplace: ("REGEXP_REPLACE", ("this", "expression", "replacement")),
    exp.RegexpSplit: ("SPLIT", ("this", "expression", "limit")),
    exp.Pi: ("PI", ()),
    exp.IsNan: ("ISNAN", ("this",)),
    exp.ArrayMin: ("ARRAY_MIN", ("this",)),
    exp.ArrayMax: ("ARRAY_MAX", ("this",)),
    exp.JSONKeys: ("JSON_OBJECT_KEYS", ("this",)),
    exp.DayOfWeek: ("DAYOFWEEK", ("this",)),
    exp.DayOfYear: ("DAYOFYEAR", ("this",)),
    exp.LastDay: ("LAST_DAY", ("this",)),
    exp.Count: ("COUNT", ("this", "expressions")),
    exp.Sum: ("SUM", ("this",)),
    exp.Avg: ("AVG", ("this",)),
    exp.Min: ("MIN", ("this",)),
    exp.Max: ("MAX", ("this",)),
    exp.Grouping: ("GROUPING", ("expressions",)),
    exp.GroupingId: ("GROUPING_ID", ("expressions",)),
}
# Functions that the parser would convert to another one, which loses the text: patterns of dates in the letters of
# another language, a conversion to a date around an argument, one node for several functions. And functions for which a
# node has no use. `parser.plain_tokens` renames them.
HIDDEN = frozenset((
    "DATE_FORMAT", "TO_DATE", "TO_TIMESTAMP", "REGEXP_EXTRACT", "DATE_ADD", "DATEADD", "DATE_SUB", "DATE_TRUNC",
    "TIMESTAMPADD", "TIMESTAMPDIFF", "TRUNC", "ADD_MONTHS", "MONTHS_BETWEEN", "NEXT_DAY", "DAYNAME", "MONTHNAME",
    "UNIX_SECONDS", "UNIX_TIMESTAMP", "TO_UNIX_TIMESTAMP", "UNIX_MICROS", "UNIX_DATE", "DATE_FROM_UNIX_DATE",
    "FROM_UNIXTIME", "FROM_UTC_TIMESTAMP", "TO_UTC_TIMESTAMP", "TRANSLATE", "REPEAT", "SPACE", "ASCII",
    "SUBSTRING_INDEX", "SPLIT_PART", "LEVENSHTEIN", "BASE64", "HEX", "SHA2", "ELT", "REGEXP_COUNT", "REGEXP_SUBSTR",
    "REGEXP_EXTRACT_ALL", "COT", "SEC", "CSC", "ASINH", "ACOSH", "ATANH", "RINT", "SHIFTLEFT", "SHIFTRIGHT",
    "BIT_COUNT", "FACTORIAL", "WIDTH_BUCKET", "NANVL", "NVL2", "EQUAL_NULL", "ARRAY_APPEND", "ARRAY_PREPEND",
    "ARRAY_COMPACT", "ARRAY_JOIN", "ARRAY_POSITION", "ARRAY_REMOVE", "SORT_ARRAY", "ARRAY_SORT", "ELEMENT_AT",
    "TRY_ELEMENT_AT", "SLICE", "MAP_CONTAINS_KEY", "NAMED_STRUCT", "COUNT_IF", "BOOL_AND", "BOOL_OR",
    "MIN_BY", "MAX_BY", "INITCAP", "REGEXP_INSTR", "AGGREGATE", "ANY_VALUE", "APPROX_COUNT_DISTINCT",
    "LOG", "LOG2", "LOG10",
    "APPROX_PERCENTILE", "APPROX_TOP_K", "ARRAY_AGG", "ARRAY_INSERT", "ARRAYS_ZIP", "BIT_AND", "BIT_GET", "BIT_OR",
    "BIT_XOR", "COLLATION", "COLLECT_LIST", "COLLECT_SET", "CONVERT_TIMEZONE", "CORR", "COVAR_POP", "COVAR_SAMP",
    "DECODE", "ENCODE", "FIRST_VALUE", "FORMAT_STRING", "FROM_BASE32", "FROM_JSON",
    "GET_JSON_OBJECT", "GETBIT", "KURTOSIS", "LAST", "LAST_VALUE", "LISTAGG", "MAKE_INTERVAL",
    "MAKE_TIMESTAMP", "MAP_FROM_ARRAYS", "MAP_FROM_ENTRIES", "MEDIAN", "MODE", "PARSE_JSON", "PARSE_URL", "PERCENTILE",
    "PERCENTILE_APPROX", "PERCENTILE_CONT", "PERCENTILE_DISC", "RANDSTR", "REDUCE",
    "REGR_AVGX", "REGR_AVGY", "REGR_COUNT", "REGR_INTERCEPT", "REGR_R2", "REGR_SLOPE", "REGR_SXX", "REGR_SXY",
    "REGR_SYY", "SKEWNESS", "SOUNDEX", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "STRING_AGG", "STR_TO_MAP",
    "TO_BASE32", "TO_BINARY", "TO_CHAR", "TO_JSON", "TO_NUMBER", "TRANSFORM", "TYPEOF", "UNBASE64", "UNHEX", "UNIFORM",
    "VAR_POP", "VAR_SAMP", "VARIANCE", "DATEDIFF", "DATE_DIFF",
    "BITMAP_BIT_POSITION", "BITMAP_BUCKET_NUMBER",
))  # fmt: skip
# Words of the language that are also functions, if a bracket without a clause in it follows them.
HIDDEN_WORDS = frozenset((
    "ANY", "SOME", "EXISTS", "FILTER", "FIRST", "MAP", "STRUCT", "DATE", "TIMESTAMP", "STRING", "INT", "BIGINT",
    "DOUBLE", "FLOAT", "BOOLEAN", "BINARY",
))  # fmt: skip
# The parser adds a conversion to a date around the argument of these.
OF_DATE = (
    exp.Year, exp.Month, exp.WeekOfYear, exp.Day, exp.DayOfMonth, exp.DayOfWeek, exp.DayOfYear,
)  # fmt: skip


def is_known(name: str) -> bool:
    """Return whether the parser has special rules for calls of a name, in upper case.

    The name is a function that Spark has, or a word of the language. Calls of all other names keep their text.
    """
    parser = Dialect.get_or_raise("spark").parser_class
    tokens = Dialect.get_or_raise("spark").tokenizer_class.KEYWORDS
    return name in parser.FUNCTIONS or name in parser.FUNCTION_PARSERS or name in tokens
