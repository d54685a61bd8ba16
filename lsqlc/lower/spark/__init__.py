"""The engine that runs: a plan as streaming queries made of Spark's own operators, without code of ours on the
cluster.
"""

from lsqlc.lower.spark.printing import plan_sql
from lsqlc.lower.spark.stages import internal_topics, lower
from lsqlc.lower.spark.support import unsupported
from lsqlc.lower.spark.versions import NEWEST, OLDEST, Version

__all__ = ["NEWEST", "OLDEST", "Version", "internal_topics", "lower", "plan_sql", "unsupported"]
