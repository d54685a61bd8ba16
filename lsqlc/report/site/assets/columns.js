/* Drawings of column lineage: a card for each topic with its columns, and edges from column to column. What a column is
   made of is a full line; what only decides which records there are, or their key or order, is a dashed one to the head
   of the card. */
"use strict";

lsqlc.cards = { width: 236, head: 32, row: 22, most: 40 };

/* `columns`: names by topic, in order of topics; `chosen`: a topic and column that the drawing is about. */
lsqlc.columnDrawing = (label, columns, chosen) => {
  const { s, cards } = lsqlc;
  const topics = [...columns.keys()];
  const at = new Map(topics.map((topic, i) => [topic, i]));
  const row = (topic, column) => cards.head + cards.row * (columns.get(topic).indexOf(column) + 0.5);
  const found = new Map();
  const add = (source, topic, column, into, weak) => {
    const key = JSON.stringify([source.topic, source.column, topic, into]);
    if (!found.has(key)) found.set(key, { from: at.get(source.topic), to: at.get(topic), out: row(source.topic, source.column), into, weak, ends: [] });
    found.get(key).ends.push([source.topic, source.column], [topic, column]);
  };
  for (const [topic, names] of columns) {
    for (const column of names) {
      for (const source of lsqlc.above(topic, column)) {
        if (source.topic === topic || !columns.get(source.topic)?.includes(source.column)) continue;
        if (source.uses.has("value")) add(source, topic, column, row(topic, column), false);
        if ([...source.uses].some((use) => use !== "value")) add(source, topic, column, cards.head / 2, true);
      }
    }
  }
  const edges = [...found.values()];
  const sizes = topics.map((topic) => ({ width: cards.width, height: cards.head + cards.row * columns.get(topic).length + 6 }));
  const placed = lsqlc.layout(sizes, edges, 3);
  const name = (topic, column) => JSON.stringify([topic, column]);
  const rows = new Map();
  const lines = edges.map((edge, i) => placed.paths[i] && lsqlc.edge(placed.paths[i], { class: edge.weak ? "edge weak" : "edge" }));
  const light = (on, topic, column) => {
    const mine = name(topic, column), lit = new Set();
    edges.forEach(({ ends }, i) => {
      if (!ends.some((end) => name(...end) === mine)) return;
      lines[i]?.classList.toggle("lit", on);
      ends.forEach((end) => lit.add(name(...end)));
    });
    for (const each of lit) rows.get(each)?.classList.toggle("lit", on);
  };
  const boxes = topics.map((topic, i) => {
    const { width, height } = sizes[i], about = lsqlc.site.topics.find((t) => t.name === topic);
    const look = about?.writer ? (about.semantics === "TABLE" ? "table" : "stream") : "topic";
    return s("g", { class: `node ${look}`, transform: `translate(${placed.places[i].join(" ")})`, "data-topic": topic },
      s("rect", { class: "box", width, height, rx: 7 }),
      s("a", { href: lsqlc.path("topic", topic), "aria-label": `topic ${topic}` }, s("text", { class: "name", x: 12, y: 21 }, lsqlc.clip(topic, width - 24))),
      s("line", { class: "line", x1: 1, x2: width - 1, y1: cards.head - 1, y2: cards.head - 1 }),
      columns.get(topic).map((column, n) => {
        const is = chosen && chosen[0] === topic && chosen[1] === column;
        const element = s("a", { href: lsqlc.path("column", topic, column), class: `row${is ? " chosen" : ""}`, "data-column": column, "aria-label": `${topic}.${column}`,
            onpointerenter: () => light(true, topic, column), onpointerleave: () => light(false, topic, column),
            onfocus: () => light(true, topic, column), onblur: () => light(false, topic, column) },
          s("rect", { class: "stripe", x: 3, y: cards.head + cards.row * n, width: width - 6, height: cards.row, rx: 4, opacity: is ? 1 : 0 }),
          s("text", { class: "column", x: 12, y: cards.head + cards.row * n + 15 }, lsqlc.clip(lsqlc.short(column), width - 24, "12px monospace")),
          s("title", {}, `${topic}.${column}`));
        rows.set(name(topic, column), element);
        return element;
      }));
  });
  return lsqlc.figure(label, placed, lines, boxes);
};

/* A column of the value by its own name. */
lsqlc.short = (column) => column.replace(/^_value\./, "");

lsqlc.legendOfColumns = () => lsqlc.h("p", {}, "A full line is what a column is made of; a dashed one what decides which records there are, their key or their order.");

/* Columns by topic, sources first, at most so many topics. */
lsqlc.byTopic = (columns) => {
  const found = new Map();
  for (const { topic, column } of columns) {
    if (!found.has(topic)) { if (found.size >= lsqlc.cards.most) continue; found.set(topic, new Set()); }
    found.get(topic).add(column);
  }
  const order = (topic) => (lsqlc.site.topics.find((t) => t.name === topic)?.columns || []).map(([name]) => name);
  return new Map([...found].map(([topic, names]) => {
    const known = order(topic);
    return [topic, [...names].sort((a, b) => known.indexOf(a) - known.indexOf(b) || lsqlc.compare(a, b))];
  }));
};

/* Everything upstream and downstream of a column; null where there is nothing. */
lsqlc.columnGraph = (topic, column) => {
  const around = [...lsqlc.upstream(topic, column), ...lsqlc.downstream(topic, column)];
  if (!around.length) return null;
  const columns = lsqlc.byTopic([{ topic, column }, ...around]);
  return [lsqlc.columnDrawing(`lineage of ${topic}.${column}`, columns, [topic, column]), lsqlc.legendOfColumns()];
};

/* From the columns that a model reads to those that it writes; null where it writes none, or too many to be seen. */
lsqlc.modelColumns = (model) => {
  const columns = [];
  for (const name of model.writes) {
    const topic = site(name);
    for (const [column] of topic?.columns || []) {
      columns.push(...lsqlc.above(name, column).filter((source) => source.topic !== name), { topic: name, column });
    }
  }
  function site(name) { return lsqlc.site.topics.find((t) => t.name === name); }
  const found = lsqlc.byTopic(columns);
  const rows = Math.max(0, ...[...found.values()].map((names) => names.length));
  if (found.size < 2 || rows > 60) return null;
  return [lsqlc.columnDrawing(`columns of ${model.name}`, found), lsqlc.legendOfColumns()];
};
