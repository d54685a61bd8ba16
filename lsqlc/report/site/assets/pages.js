/* Lists, a topic, a column, and what pages are made of. */
"use strict";

lsqlc.badges = (kind, known, tags) => {
  const { h } = lsqlc;
  const kinds = kind === "model" ? Object.values(known.semantics || {}) : [known.semantics];
  const found = [
    [...new Set(kinds.filter(Boolean))].map((k) => h("span", { class: `badge ${k.toLowerCase()}` }, k)),
    kind === "model" && known.ok === false ? h("span", { class: "badge broken" }, "with errors") : null,
    (tags || []).map((tag) => h("span", { class: "badge" }, tag)),
    known.owner ? h("span", { class: "badge owner" }, `owner ${known.owner}`) : null].flat().filter(Boolean);
  return found.length ? h("p", { class: "badges" }, found) : null;
};

lsqlc.section = (title, ...content) => {
  const { h } = lsqlc;
  const id = title.toLowerCase().replace(/[^a-z]+/g, "-");
  return h("section", { "data-section": id }, h("h2", {}, title), content);
};

lsqlc.fold = (title, content) => lsqlc.h("details", {}, lsqlc.h("summary", {}, title), content);

/* A table; a head that is [text, class] gives its class to the cells of its column. */
lsqlc.table = (heads, rows, look) => {
  const { h } = lsqlc;
  const of = (i) => (Array.isArray(heads[i]) ? heads[i][1] : null);
  return h("div", { class: "scroll", tabindex: "0" }, h("table", { class: look }, h("thead", {}, h("tr", {}, heads.map((head, i) => h("th", { scope: "col", class: of(i) }, of(i) ? head[0] : head)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, i) => h("td", { class: of(i) }, cell)))))));
};

lsqlc.facts = (pairs) => lsqlc.h("dl", {}, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
  .map(([name, value]) => [lsqlc.h("dt", {}, name), lsqlc.h("dd", {}, value)]));

lsqlc.names = (kind, names) => names.map((name, i) => [i ? ", " : null, lsqlc.link(kind, name)]);

lsqlc.column = (topic, column, short) =>
  lsqlc.h("a", { href: lsqlc.path("column", topic, column), class: "column" }, lsqlc.h("code", {}, short ? column : `${topic}.${column}`));

/* Sources with what they are used as, values first. */
lsqlc.sources = (sources) => {
  const { h } = lsqlc;
  const ordered = [...sources].sort((a, b) => b.uses.has("value") - a.uses.has("value"));
  return h("ul", { class: "sources" }, ordered.map((source) =>
    h("li", { class: source.uses.has("value") ? "value" : "other" }, lsqlc.column(source.topic, source.column),
      lsqlc.uses.filter((use) => source.uses.has(use)).map((use) => h("span", { class: `use ${use}` }, use)))));
};

/* Key, formats and columns of a topic, each column with what it holds and what it comes from. */
lsqlc.schema = (topic) => {
  const { h } = lsqlc;
  const written = lsqlc.own(lsqlc.site.lineage, topic.name);
  const type = (facet) => (facet ? [h("code", {}, facet.type), ` as ${facet.format}`] : "none");
  const rows = topic.columns.map(([name, kind, nullable, text]) => {
    const row = [[lsqlc.column(topic.name, name, true), text ? h("small", {}, text) : null], h("code", {}, nullable ? kind : `${kind} NOT NULL`)];
    return written ? [...row, lsqlc.sources(lsqlc.above(topic.name, name))] : row;
  });
  return [
    rows.length ? lsqlc.table(written ? ["column", "type", "comes from"] : ["column", "type"], rows) : null,
    lsqlc.facts([
      ["key", type(topic.key)], ["value", topic.value && topic.columns.length > 6 ? `${topic.columns.length} columns as ${topic.value.format}` : type(topic.value)],
      ["event time", topic.event_time], ["partitions", topic.partitions],
      ["connector", topic.connector === "embedded" ? null : topic.connector], ["files", topic.files],
      ["Delta table", topic.delta],
    ]),
  ];
};

lsqlc.modelList = () => {
  const { h, site } = lsqlc;
  return lsqlc.table(["model", "semantics", ["reads", "wide-only"], ["writes", "wide-only"], "cases", ["tags", "wide-only"], ["owner", "wide-only"]],
    site.models.map((m) => [[h("b", {}, lsqlc.link("model", m.name)), m.description ? h("small", {}, m.description) : null],
      m.ok ? h("span", {}, [...new Set(Object.values(m.semantics))].map((k) => h("span", { class: `badge ${k.toLowerCase()}` }, k))) : h("span", { class: "badge broken" }, "with errors"),
      lsqlc.names("topic", m.reads), lsqlc.names("topic", m.writes), m.cases, m.tags.join(", "), m.owner || ""]));
};
lsqlc.pages.models = (main) => main.append(lsqlc.h("h1", {}, "Models"), lsqlc.modelList());

lsqlc.pages.topics = (main) => {
  const { h, site } = lsqlc;
  const described = (t) => `${t.columns.filter(([, , , text]) => text).length} of ${t.columns.length}`;
  main.append(h("h1", {}, "Topics"), lsqlc.table(["topic", ["source", "wide-only"], "written by", ["read by", "wide-only"], "columns described"],
    site.topics.map((t) => [[h("b", {}, lsqlc.link("topic", t.name)), t.description ? h("small", {}, t.description) : null], t.source || "", t.writer ? lsqlc.link("model", t.writer) : "",
      lsqlc.names("model", t.readers), described(t)])));
};

lsqlc.pages.missing = (main) => main.append(lsqlc.h("h1", {}, "There is no such page"), lsqlc.h("p", {}, lsqlc.h("a", { href: "#/" }, "To the first page")));

lsqlc.pages.topic = (main, name) => {
  const { h, site } = lsqlc;
  const topic = site.topics.find((t) => t.name === name);
  if (!topic) return lsqlc.pages.missing(main);
  main.append(h("h1", {}, h("small", {}, "topic "), topic.name), lsqlc.badges("topic", topic, topic.tags) || "",
    topic.description ? h("p", { class: "lead" }, topic.description) : "");
  // A topic that its model stands for has the graph of that model.
  const drawn = lsqlc.neighbours("topic", name) || (topic.writer ? lsqlc.neighbours("model", name) : null);
  main.append(...(drawn || []).filter(Boolean),
    lsqlc.facts([["source", topic.source], ["declared in", topic.path ? h("code", {}, topic.path) : null], ["written by", topic.writer ? lsqlc.link("model", topic.writer) : "no model"],
      ["read by", topic.readers.length ? lsqlc.names("model", topic.readers) : "no model"]]),
    lsqlc.section("Columns", lsqlc.schema(topic)), ...lsqlc.followers(topic), ...lsqlc.tests(topic, "Data tests"));
};

// Tables in lakes and databases that follow a topic, as they are declared: a target says where its stores are.
lsqlc.followers = (topic) => {
  const { h } = lsqlc;
  if (!topic.tables.length) return [];
  const rows = { current: "the newest row of each key", all: "one for each record", history: "all versions of each row" };
  return [lsqlc.section("Tables", lsqlc.table(["table", "rows", "columns", ["declared in", "wide-only"]],
    topic.tables.map((table) => [h("b", {}, table.table), rows[table.keep],
      table.columns.map(([name, type], i) => [i ? ", " : null, table.key.includes(name) ? h("b", {}, h("code", {}, name)) : h("code", {}, name), ` ${type}`]),
      h("code", {}, table.place)])),
    h("p", {}, h("code", {}, "lsqlc tables sync"), " writes the records of the topic into them."))];
};

// What must hold for the records of a topic, as it is declared: results are of a target and a moment, which no site knows.
lsqlc.tests = (topic, title) => {
  const { h } = lsqlc;
  if (!topic.tests.length) return [];
  return [lsqlc.section(title, lsqlc.table(["test", "of", "a failure is", ["declared in", "wide-only"]],
    topic.tests.map((test) => [test.kind.replace(/_/g, " "), h("code", {}, test.text), test.severity === "warn" ? "a warning" : "an error", h("code", {}, test.place)])),
    h("p", {}, h("code", {}, `lsqlc check ${topic.name}`), " runs them on the records of a target."))];
};

lsqlc.pages.column = (main, name, column) => {
  const { h, site } = lsqlc;
  const topic = site.topics.find((t) => t.name === name);
  const known = topic && topic.columns.find(([c]) => c === column);
  // A column of files that nobody declared is there for those who read it.
  if (!topic || (!known && !lsqlc.below(name, column).length)) return lsqlc.pages.missing(main);
  const all = (sources) => (sources.length ? lsqlc.sources(sources) : h("p", {}, "no column"));
  main.append(h("h1", {}, h("small", {}, "column "), lsqlc.link("topic", name), `.${column}`),
    known && known[3] ? h("p", { class: "lead" }, known[3]) : "",
    ...(lsqlc.columnGraph(name, column) || []),
    lsqlc.facts([["type", known ? h("code", {}, known[2] ? known[1] : `${known[1]} NOT NULL`) : "not declared"], ["written by", topic.writer ? lsqlc.link("model", topic.writer) : "no model"]]),
    h("div", { class: "two" }, lsqlc.section("Comes from", all(lsqlc.above(name, column))), lsqlc.section("Upstream", all(lsqlc.upstream(name, column)))),
    lsqlc.section("Downstream", all(lsqlc.downstream(name, column))));
};
