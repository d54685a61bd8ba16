/* Column lineage, by the rules of the compiler: what a column comes from, and what comes of it, directly and through
   every model. A source is {topic, column, uses}. */
"use strict";

lsqlc.uses = ["value", "filter", "key", "order"];

lsqlc.above = (topic, column) => {
  const known = lsqlc.own(lsqlc.site.lineage, topic);
  const values = known && lsqlc.own(known.columns, column);
  if (!values) return [];
  const found = new Map();
  const add = (where, name, uses) => {
    const key = JSON.stringify([where, name]);
    if (!found.has(key)) found.set(key, { topic: where, column: name, uses: new Set() });
    uses.forEach((use) => found.get(key).uses.add(use));
  };
  for (const [where, names] of Object.entries(values)) names.forEach((name) => add(where, name, ["value"]));
  for (const [where, names] of Object.entries(known.records))
    for (const [name, uses] of Object.entries(names)) add(where, name, uses);
  return lsqlc.sorted(found.values());
};

/* Who reads each column: made once. */
lsqlc.readers = () => {
  if (lsqlc.reading) return lsqlc.reading;
  const reading = new Map();
  for (const topic of Object.keys(lsqlc.site.lineage)) {
    for (const column of Object.keys(lsqlc.site.lineage[topic].columns)) {
      for (const source of lsqlc.above(topic, column)) {
        const key = JSON.stringify([source.topic, source.column]);
        if (!reading.has(key)) reading.set(key, []);
        reading.get(key).push({ topic, column, uses: source.uses });
      }
    }
  }
  return (lsqlc.reading = reading);
};
lsqlc.below = (topic, column) => lsqlc.sorted(lsqlc.readers().get(JSON.stringify([topic, column])) || []);

lsqlc.reach = (step, compose, topic, column) => {
  const start = JSON.stringify([topic, column]);
  const found = new Map();
  const pending = [[topic, column, "value"]];
  while (pending.length) {
    const [where, name, soFar] = pending.pop();
    for (const source of step(where, name)) {
      const key = JSON.stringify([source.topic, source.column]);
      if (!found.has(key)) found.set(key, { topic: source.topic, column: source.column, uses: new Set() });
      const known = found.get(key).uses;
      for (const use of source.uses) {
        const composed = compose(soFar, use);
        if (known.has(composed)) continue;
        known.add(composed);
        pending.push([source.topic, source.column, composed]);
      }
    }
  }
  found.delete(start);
  return lsqlc.sorted(found.values());
};
lsqlc.upstream = (topic, column) =>
  lsqlc.reach(lsqlc.above, (soFar, use) => (use !== "value" ? use : soFar), topic, column);
lsqlc.downstream = (topic, column) =>
  lsqlc.reach(lsqlc.below, (soFar, use) => (soFar !== "value" ? soFar : use), topic, column);

lsqlc.sorted = (sources) =>
  [...sources].sort((a, b) => lsqlc.compare(a.topic, b.topic) || lsqlc.compare(a.column, b.column));
