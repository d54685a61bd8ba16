/* The pages beside the graph: lists, a model, a topic, a column. */
"use strict";

lsqlc.badges = (kind, known, tags) => {
  const { h } = lsqlc;
  const kinds = kind === "model" ? Object.values(known.semantics || {}) : [known.semantics];
  return h("p", { class: "badges" },
    [...new Set(kinds.filter(Boolean))].map((k) => h("span", { class: `badge ${k.toLowerCase()}` }, k)),
    kind === "model" && known.ok === false ? h("span", { class: "badge broken" }, "with errors") : null,
    (tags || []).map((tag) => h("span", { class: "badge" }, tag)),
    known.owner ? h("span", { class: "badge owner" }, `owner ${known.owner}`) : null);
};

lsqlc.section = (title, ...content) => {
  const { h } = lsqlc;
  const id = title.toLowerCase().replace(/[^a-z]+/g, "-");
  return h("section", { "data-section": id }, h("h2", {}, title), content);
};

lsqlc.fold = (title, content) => lsqlc.h("details", {}, lsqlc.h("summary", {}, title), content);

lsqlc.table = (heads, rows) => {
  const { h } = lsqlc;
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, heads.map((head) => h("th", {}, head)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, cell)))))));
};

lsqlc.facts = (pairs) => lsqlc.h("dl", {}, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
  .map(([name, value]) => [lsqlc.h("dt", {}, name), lsqlc.h("dd", {}, value)]));

lsqlc.names = (kind, names) => names.map((name, i) => [i ? ", " : null, lsqlc.link(kind, name)]);

lsqlc.column = (topic, column, short) =>
  lsqlc.h("a", { href: lsqlc.path("column", topic, column), class: "column" }, short ? column : `${topic}.${column}`);

/* Sources with what they are used as, values first. */
lsqlc.sources = (sources) => {
  const { h } = lsqlc;
  const ordered = [...sources].sort((a, b) => b.uses.has("value") - a.uses.has("value"));
  return h("ul", { class: "sources" }, ordered.map((source) =>
    h("li", { class: source.uses.has("value") ? "value" : "other" }, lsqlc.column(source.topic, source.column),
      lsqlc.uses.filter((use) => source.uses.has(use)).map((use) => h("span", { class: `use ${use}` }, use)))));
};

/* Key, formats and columns of a topic, each column with what it comes from. */
lsqlc.schema = (topic) => {
  const { h } = lsqlc;
  const written = lsqlc.own(lsqlc.site.lineage, topic.name);
  const type = (facet) => (facet ? [h("code", {}, facet.type), ` as ${facet.format}`] : "none");
  const rows = topic.columns.map(([name, kind, nullable]) => {
    const row = [lsqlc.column(topic.name, name, true), h("code", {}, nullable ? kind : `${kind} NOT NULL`)];
    return written ? [...row, lsqlc.sources(lsqlc.above(topic.name, name))] : row;
  });
  return [
    lsqlc.facts([
      ["key", type(topic.key)], ["value", type(topic.value)], ["event time", topic.event_time], ["partitions", topic.partitions],
      ["connector", topic.connector === "embedded" ? null : topic.connector], ["files", topic.files],
    ]),
    rows.length ? lsqlc.table(written ? ["column", "type", "comes from"] : ["column", "type"], rows) : null,
  ];
};

lsqlc.pages.models = (main) => {
  const { h, site } = lsqlc;
  main.append(h("h1", {}, "Models"), lsqlc.table(["model", "semantics", "reads", "writes", "cases", "tags", "owner", "description"],
    site.models.map((m) => [lsqlc.link("model", m.name), m.ok ? [...new Set(Object.values(m.semantics))].join(", ") : "with errors",
      lsqlc.names("topic", m.reads), lsqlc.names("topic", m.writes), m.cases, m.tags.join(", "), m.owner || "", m.description || ""])));
};

lsqlc.pages.topics = (main) => {
  const { h, site } = lsqlc;
  main.append(h("h1", {}, "Topics"), lsqlc.table(["topic", "source", "written by", "read by", "columns", "description"],
    site.topics.map((t) => [lsqlc.link("topic", t.name), t.source || "", t.writer ? lsqlc.link("model", t.writer) : "",
      lsqlc.names("model", t.readers), t.columns.length, t.description || ""])));
};

lsqlc.pages.missing = (main) => main.append(lsqlc.h("h1", {}, "There is no such page"), lsqlc.h("p", {}, lsqlc.h("a", { href: "#/" }, "To the graph")));

lsqlc.pages.topic = (main, name) => {
  const { h, site } = lsqlc;
  const topic = site.topics.find((t) => t.name === name);
  if (!topic) return lsqlc.pages.missing(main);
  main.append(h("h1", {}, h("small", {}, "topic "), topic.name), lsqlc.badges("topic", topic, topic.tags),
    topic.description ? h("p", {}, topic.description) : "",
    lsqlc.facts([["source", topic.source], ["declared in", topic.path], ["written by", topic.writer ? lsqlc.link("model", topic.writer) : "no model"],
      ["read by", topic.readers.length ? lsqlc.names("model", topic.readers) : "no model"]]),
    lsqlc.section("Schema", lsqlc.schema(topic)));
};

lsqlc.pages.column = (main, name, column) => {
  const { h, site } = lsqlc;
  const topic = site.topics.find((t) => t.name === name);
  const known = topic && topic.columns.find(([c]) => c === column);
  // A column of files that nobody declared is there for those who read it.
  if (!topic || (!known && !lsqlc.below(name, column).length)) return lsqlc.pages.missing(main);
  const all = (sources) => (sources.length ? lsqlc.sources(sources) : h("p", {}, "no column"));
  main.append(h("h1", {}, h("small", {}, "column "), lsqlc.link("topic", name), `.${column}`),
    lsqlc.facts([["type", known ? h("code", {}, known[2] ? known[1] : `${known[1]} NOT NULL`) : "not declared"], ["written by", topic.writer ? lsqlc.link("model", topic.writer) : "no model"]]),
    lsqlc.section("Comes from", all(lsqlc.above(name, column))),
    h("div", { class: "two" }, lsqlc.section("Upstream", all(lsqlc.upstream(name, column))), lsqlc.section("Downstream", all(lsqlc.downstream(name, column)))));
};

lsqlc.pages.model = (main, name, part) => {
  const { h, site } = lsqlc;
  const model = site.models.find((m) => m.name === name);
  if (!model || (part && part !== "runbook")) return lsqlc.pages.missing(main);
  const rest = h("div", {}, h("p", { class: "waiting" }, "\u2026"));
  const failed = () => rest.replaceChildren(h("p", { class: "broken" }, "The file of this model is missing: build the site again."));
  if (part === "runbook") {
    main.append(h("h1", {}, h("small", {}, "runbook of "), lsqlc.link("model", name)), lsqlc.badges("model", model, []), rest);
    lsqlc.detail(model, (detail) => rest.replaceChildren(...lsqlc.runbook(model, detail)), failed);
    return;
  }
  const after = site.models.filter((m) => m.after.includes(name)).map((m) => m.name);
  const topics = new Map(site.topics.map((t) => [t.name, t]));
  main.append(h("h1", {}, h("small", {}, "model "), model.name), lsqlc.badges("model", model, model.tags),
    model.description ? h("p", {}, model.description) : "",
    lsqlc.facts([["file", model.path], ["owner", model.owner], ["dialect", model.dialect],
      ["reads", model.reads.length ? lsqlc.names("topic", model.reads) : null], ["writes", lsqlc.names("topic", model.writes)],
      ["after", model.after.length ? lsqlc.names("model", model.after) : null], ["before", after.length ? lsqlc.names("model", after) : null],
      ["operation", model.ok ? h("a", { href: `${lsqlc.path("model", name)}/runbook` }, "runbook") : null],
      ["fingerprint", model.fingerprint ? h("code", {}, model.fingerprint) : null]]),
    lsqlc.section("SQL", lsqlc.code(model.sql)));
  for (const topic of model.writes.map((t) => topics.get(t)).filter(Boolean)) {
    main.append(lsqlc.section(`Schema and lineage of ${topic.name}`, lsqlc.schema(topic)));
  }
  main.append(rest);
  lsqlc.detail(model, (detail) => rest.replaceChildren(...lsqlc.rest(detail)), failed);
};

/* What to do about a model that runs: what it reads, writes and keeps, its alerts, commands, and the cost of a rebuild. */
lsqlc.runbook = (model, d) => {
  const { h } = lsqlc;
  const book = d.runbook;
  if (!book) return [h("p", {}, "This model does not run on Spark, so that there is nothing to operate.")];
  const readers = lsqlc.site.topics.filter((t) => model.writes.includes(t.name)).flatMap((t) => t.readers);
  const command = (text) => h("pre", {}, h("code", {}, text));
  return [
    lsqlc.section("Data", lsqlc.facts([["owner", model.owner], ["reads", model.reads.length ? lsqlc.names("topic", model.reads) : null],
      ["writes", lsqlc.names("topic", model.writes)], ["read by", readers.length ? lsqlc.names("model", [...new Set(readers)]) : null]]), h("p", {}, book.bad)),
    lsqlc.section("State", lsqlc.state(d)),
    lsqlc.section("Commands", lsqlc.table(["command", "shows or does"], book.commands.map(([text, what]) => [h("code", {}, text), what]))),
    lsqlc.section("Alerts", book.alerts.map((alert) => h("article", { "data-alert": alert.name },
      h("h3", {}, alert.name, " ", h("small", {}, [alert.severity, alert.query && `query ${alert.query}`, alert.wait && `after ${alert.wait}`].filter(Boolean).join(", "))),
      h("p", {}, alert.meaning), h("ul", {}, alert.steps.map((step) => h("li", {}, step))), lsqlc.fold("Query", command(alert.expression))))),
    lsqlc.section("Full refresh", command(book.refresh.command), h("ul", {}, book.refresh.costs.map((cost) => h("li", {}, cost)))),
  ];
};

/* What of a model is in its own file. */
lsqlc.rest = (d) => {
  const { h } = lsqlc;
  const found = [];
  if (d.findings.length) {
    found.push(lsqlc.section("Findings", h("ul", { class: "findings" }, d.findings.map((f) =>
      h("li", { class: f.severity }, h("b", {}, `${f.severity}[${f.code}]`), ` ${f.message} `, h("small", {}, f.place || ""),
        [...f.notes, f.help].filter(Boolean).map((note) => h("div", {}, note)))))));
  }
  if (d.functions.length) {
    found.push(lsqlc.section("Functions", lsqlc.table(["function", "kind", "file", "description"], d.functions.map((f) =>
      [h("code", {}, f.signature), f.kind === "python" ? h("span", { class: "badge python" }, "runs Python") : f.kind, f.path, f.description || ""])),
    d.functions.filter((f) => f.code).map((f) => lsqlc.fold(f.path, h("pre", {}, h("code", {}, f.code))))));
  }
  if (d.rendered !== null) found.push(lsqlc.fold("SQL as the template gives it", lsqlc.code(d.rendered)));
  if (d.plan !== null) found.push(lsqlc.section("Plan", h("pre", {}, h("code", {}, d.plan))));
  if (d.stages.length || d.unsupported.length) found.push(lsqlc.section("State", lsqlc.state(d)));
  const compiled = [["DuckDB", d.duckdb], ["Spark", d.spark]].filter(([, sql]) => sql);
  if (compiled.length) found.push(lsqlc.section("Compiled SQL", compiled.map(([engine, sql]) => lsqlc.fold(engine, lsqlc.code(sql)))));
  if (d.plan !== null) found.push(lsqlc.section("Cases", d.cases.length ? d.cases.map(lsqlc.case) : h("p", {}, "no cases")));
  return found;
};

lsqlc.state = (d) => {
  const { h } = lsqlc;
  if (d.unsupported.length) {
    return [h("p", {}, "Spark cannot run this model yet; its cases run on DuckDB."), h("ul", {}, d.unsupported.map((lines) => h("li", {}, lines.join(": "))))];
  }
  return [
    d.strategy.length ? h("ul", {}, d.strategy.map((line) => h("li", {}, line))) : null,
    lsqlc.table(["query", "reads", "writes", "keeps"], d.stages.map((stage) => [h("code", {}, stage.name), stage.reads.join(", "), `${stage.writes} (${stage.mode})`,
      stage.state.length ? h("ul", {}, stage.state.map((line) => h("li", {}, line))) : "no state"])),
  ];
};

lsqlc.case = (one) => {
  const { h } = lsqlc;
  const many = one.batches.length > 1;
  const rows = one.batches.flatMap((batch, number) => batch.map((record) => [...(many ? [number + 1] : []), ...lsqlc.cells(record)]));
  const heads = [...(many ? ["batch"] : []), "topic", "key", "value", "timestamp"];
  const found = [h("h3", {}, "Records"), rows.length ? lsqlc.table(heads, rows) : h("p", {}, "no records")];
  if (one.now) found.push(h("p", {}, `The clock stands at ${one.now}.`));
  for (const [count, time] of one.advances) found.push(h("p", {}, `After ${count} of them time goes on to ${time}.`));
  if (one.expect.length) found.push(h("h3", {}, "Expected"), lsqlc.table(["topic", "key", "value", "timestamp"], one.expect.map(lsqlc.cells)));
  if (one.asserts.length) found.push(h("h3", {}, "Asserted"), h("ul", {}, one.asserts.map(([topic, kind, text]) => h("li", {}, `${topic}: ${kind} `, h("code", {}, text)))));
  found.push(h("h3", {}, "Results"), one.golden === null ? h("p", {}, "There is no golden file.") : lsqlc.results(one.golden));
  return h("details", { class: "case", "data-case": one.name }, h("summary", {}, one.name, " ", h("small", {}, `${one.path}:${one.line}`)), found);
};

lsqlc.cells = ([topic, key, value, timestamp]) => [topic, lsqlc.h("code", {}, key), lsqlc.h("code", {}, value), timestamp ?? ""];

/* A golden file as rows; null stands for one that cannot be read, which is shown as it is. */
lsqlc.results = ({ rows, text }) => {
  const code = (cell) => lsqlc.h("code", {}, cell);
  if (rows === null) return lsqlc.h("pre", {}, code(text));
  if (!rows.length) return lsqlc.h("p", {}, "Nothing comes out.");
  const times = rows.some(([, , , timestamp]) => timestamp !== null);
  return lsqlc.table(["topic", "key", "value", ...(times ? ["timestamp"] : [])],
    rows.map(([topic, key, value, timestamp]) => [topic, code(key), code(value), ...(times ? [timestamp ?? ""] : [])]));
};
