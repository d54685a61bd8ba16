/* What the pages share: making elements, colouring SQL, following columns, searching. Text from the project becomes
   text nodes and attributes only, never markup. */
"use strict";

const lsqlc = { site: null, pages: {} };

lsqlc.text = (value) => document.createTextNode(String(value));

/* An element with attributes, and children that are nodes or texts; null and undefined ones are left out. */
lsqlc.fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) element.append(child instanceof Node ? child : lsqlc.text(child));
  }
  return element;
};
lsqlc.h = (tag, attributes, ...children) => lsqlc.fill(document.createElement(tag), attributes, children);
lsqlc.s = (tag, attributes, ...children) =>
  lsqlc.fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

lsqlc.path = (...parts) => "#/" + parts.map(encodeURIComponent).join("/");
lsqlc.link = (kind, name, label) => lsqlc.h("a", { href: lsqlc.path(kind, name), class: kind }, label ?? name);

/* SQL as a block, in colour. */
lsqlc.code = (text) => {
  const words = /(--[^\n]*|\/\*[\s\S]*?\*\/)|('(?:[^']|'')*')|(`[^`]*`|"[^"]*")|\b(\d+(?:\.\d+)?)\b|\b([A-Za-z_]+)\b/g;
  const block = lsqlc.h("code");
  let end = 0;
  for (const found of text.matchAll(words)) {
    const [whole, comment, string, name, number, word] = found;
    const kind = comment ? "comment" : string ? "string" : number ? "number"
      : word && !name && lsqlc.keywords.has(word.toUpperCase()) ? "keyword" : null;
    if (!kind) continue;
    block.append(text.slice(end, found.index), lsqlc.h("span", { class: kind }, whole));
    end = found.index + whole.length;
  }
  block.append(text.slice(end));
  return lsqlc.h("pre", {}, block);
};
lsqlc.keywords = new Set(
  ("ADVANCE ALL AND AS ASC BETWEEN BY CASE CAST CHANGES CREATE CROSS DESC DISTINCT ELSE EMIT END ESCAPE EXISTS FALSE FINAL " +
    "FROM FULL GRACE GROUP HAVING HOP HOPPING IN INNER INSERT INTO IS JOIN KEY LATERAL LEFT LIKE LIMIT NOT NULL ON OR ORDER " +
    "OUTER OVER PARTITION PERIOD QUALIFY RIGHT SELECT SESSION SET SIZE STORE STREAM TABLE TEMPORARY THEN TRUE TUMBLE TUMBLING UNION " +
    "UNNEST USING VALUE VALUES VIEW WHEN WHERE WINDOW WITH WITHIN").split(" "));

/* Column lineage, by the rules of the compiler: what a column comes from, and what comes of it, directly and through
   every model. A source is {topic, column, uses}. */
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

lsqlc.compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
lsqlc.sorted = (sources) =>
  [...sources].sort((a, b) => lsqlc.compare(a.topic, b.topic) || lsqlc.compare(a.column, b.column));
lsqlc.own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

/* The models and topics that have every word of a query, the best first. `fields` go from what weighs most. */
lsqlc.search = (query, limit = 30) => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  for (const entry of lsqlc.index()) {
    let score = 0;
    for (const word of words) {
      const field = entry.fields.findIndex((text) => text.includes(word));
      if (field < 0) { score = -1; break; }
      const whole = field === 0 && (entry.fields[0] === word ? 4 : entry.fields[0].startsWith(word) ? 2 : 0);
      score += 10 * (entry.fields.length - field) + (whole || 0);
    }
    if (score >= 0) found.push({ ...entry, score });
  }
  found.sort((a, b) => b.score - a.score || lsqlc.compare(a.name, b.name) || lsqlc.compare(a.kind, b.kind));
  return found.slice(0, limit);
};
lsqlc.index = () => {
  if (lsqlc.indexed) return lsqlc.indexed;
  const { models, topics } = lsqlc.site;
  const lower = (...parts) => parts.flat().filter(Boolean).join("\n").toLowerCase();
  const columns = new Map(topics.map((topic) => [topic.name, topic.columns.map(([name]) => name)]));
  const same = new Set(models.filter((m) => m.writes.includes(m.name)).map((m) => m.name));
  const entries = models.map((m) => ({
    kind: "model",
    name: m.name,
    said: m.description || m.path,
    fields: [lower(m.name), lower(m.writes, m.tags, m.owner), lower(m.writes.map((t) => columns.get(t) || [])),
      lower(m.description), lower(m.path, m.reads), lower(m.sql)],
  }));
  for (const t of topics) {
    if (same.has(t.name)) continue;
    const fields = [lower(t.name), lower(t.tags, t.source), lower(columns.get(t.name)), lower(t.description), lower(t.path), ""];
    entries.push({ kind: "topic", name: t.name, said: t.description || "topic", fields });
  }
  return (lsqlc.indexed = entries);
};
