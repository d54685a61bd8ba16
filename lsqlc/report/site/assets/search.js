/* The models and topics that have every word of a query, the best first. `fields` go from what weighs most. */
"use strict";
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
