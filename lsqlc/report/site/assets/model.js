/* The page of a model, and its runbook. */
"use strict";

lsqlc.pages.model = (main, name, part) => {
  const { h, site } = lsqlc;
  const model = site.models.find((m) => m.name === name);
  if (!model || (part && part !== "runbook")) return lsqlc.pages.missing(main);
  const broken = () => [h("p", { class: "broken" }, "The file of this model is missing: build the site again.")];
  const waiting = () => h("p", { class: "waiting" }, "\u2026");
  if (part === "runbook") {
    const rest = h("div", {}, waiting());
    main.append(h("h1", {}, h("small", {}, "runbook of "), lsqlc.link("model", name)), lsqlc.badges("model", model, []) || "", rest);
    lsqlc.detail(model, (detail) => rest.replaceChildren(...lsqlc.runbook(model, detail)), () => rest.replaceChildren(...broken()));
    return;
  }
  const [first, findings, cases, rest] = [h("div"), h("div"), h("div"), h("div", {}, waiting())];
  const contents = h("nav", { "aria-label": "On this page" });
  first.append(h("h1", {}, h("small", {}, "model "), model.name), lsqlc.badges("model", model, model.tags) || "",
    model.description ? h("p", { class: "lead" }, model.description) : "", h("p", { class: "live", "data-live": name, hidden: "" }), findings,
    ...(lsqlc.neighbours("model", name) || []).filter(Boolean),
    h("div", { class: "two" }, lsqlc.section("SQL", lsqlc.code(model.sql), lsqlc.about(model)), cases));
  const topics = new Map(site.topics.map((t) => [t.name, t]));
  for (const topic of model.writes.map((t) => topics.get(t)).filter(Boolean)) {
    first.append(lsqlc.section(`Columns of ${topic.name}`, lsqlc.schema(topic)), ...lsqlc.followers(topic), ...lsqlc.tests(topic, `Data tests of ${topic.name}`));
  }
  const columns = model.ok ? lsqlc.modelColumns(model) : null;
  if (columns) first.append(lsqlc.section("Column lineage", columns));
  first.append(rest);
  main.append(h("div", { class: "paged" }, first, contents));
  const list = () => contents.replaceChildren(h("h2", {}, "On this page"), ...[...first.querySelectorAll("section")].map((section) => h("a", {
    href: location.hash, onclick: (event) => { event.preventDefault(); section.scrollIntoView(); } }, section.querySelector("h2").textContent)));
  list();
  lsqlc.detail(model, (detail) => {
    findings.replaceChildren(...lsqlc.findings(detail));
    cases.replaceChildren(...(detail.plan !== null ? [lsqlc.section("Cases", detail.cases.length ? detail.cases.map((one, i) => lsqlc.case(one, i === 0)) : h("p", {}, "This model has no cases."))] : []));
    rest.replaceChildren(...lsqlc.rest(detail));
    list();
  }, () => rest.replaceChildren(...broken()));
};

lsqlc.about = (model) => {
  const { h, site } = lsqlc;
  const after = site.models.filter((m) => m.after.includes(model.name)).map((m) => m.name);
  return lsqlc.facts([["file", h("code", {}, model.path)], ["owner", model.owner], ["dialect", model.dialect], ["latency", model.latency],
    ["reads", model.reads.length ? lsqlc.names("topic", model.reads) : null], ["writes", model.writes.length ? lsqlc.names("topic", model.writes) : null],
    ["after", model.after.length ? lsqlc.names("model", model.after) : null], ["before", after.length ? lsqlc.names("model", after) : null],
    ["operation", model.ok ? h("a", { href: `${lsqlc.path("model", model.name)}/runbook` }, "runbook") : null],
    ["fingerprint", model.fingerprint ? h("code", {}, model.fingerprint) : null]]);
};

lsqlc.findings = (d) => {
  const { h } = lsqlc;
  if (!d.findings.length) return [];
  return [lsqlc.section("Findings", h("ul", { class: "findings" }, d.findings.map((f) =>
    h("li", { class: f.severity }, h("b", {}, `${f.severity}[${f.code}]`), ` ${f.message} `, h("small", {}, f.place || ""),
      [...f.notes, f.help].filter(Boolean).map((note) => h("div", {}, note))))))];
};

/* What of a model is in its own file, below its columns. */
lsqlc.rest = (d) => {
  const { h } = lsqlc;
  const found = [];
  if (d.functions.length) {
    found.push(lsqlc.section("Functions", lsqlc.table(["function", "kind", "file", "description"], d.functions.map((f) =>
      [h("code", {}, f.signature), f.kind === "python" ? h("span", { class: "badge python" }, "runs Python") : f.kind, f.path, f.description || ""])),
    d.functions.filter((f) => f.code).map((f) => lsqlc.fold(f.path, h("pre", {}, h("code", {}, f.code))))));
  }
  if (d.plan !== null) found.push(lsqlc.section("Plan", h("pre", {}, h("code", {}, d.plan))));
  if (d.stages.length || d.unsupported.length) found.push(lsqlc.section("State", lsqlc.state(d)));
  const compiled = [["SQL as the template gives it", d.rendered], ["DuckDB", d.duckdb], ["Spark", d.spark]].filter(([, sql]) => sql);
  if (compiled.length) found.push(lsqlc.section("Compiled SQL", compiled.map(([engine, sql]) => lsqlc.fold(engine, lsqlc.code(sql)))));
  return found;
};

lsqlc.state = (d) => {
  const { h } = lsqlc;
  if (d.unsupported.length) {
    return [h("p", {}, "Spark cannot run this model yet; its cases run on DuckDB."), h("ul", {}, d.unsupported.map((lines) => h("li", {}, lsqlc.prose(lines.join(": ")))))];
  }
  return [
    d.strategy.length ? h("ul", {}, d.strategy.map((line) => h("li", {}, lsqlc.prose(line)))) : null,
    lsqlc.table(["query", "reads", "writes", "keeps"], d.stages.map((stage) => [h("code", {}, stage.name), stage.reads.join(", "), `${stage.writes} (${stage.mode})`,
      stage.state.length ? h("ul", {}, stage.state.map((line) => h("li", {}, line))) : "no state"])),
  ];
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
      ["writes", lsqlc.names("topic", model.writes)], ["read by", readers.length ? lsqlc.names("model", [...new Set(readers)]) : null]]), h("p", {}, lsqlc.prose(book.bad))),
    lsqlc.section("State", lsqlc.state(d)),
    lsqlc.section("Commands", lsqlc.table(["command", "shows or does"], book.commands.map(([text, what]) => [h("code", {}, text), lsqlc.prose(what)]))),
    lsqlc.section("Alerts", book.alerts.map((alert) => h("article", { "data-alert": alert.name },
      h("h3", {}, alert.name, " ", h("small", {}, [alert.severity, alert.query && `query ${alert.query}`, alert.wait && `after ${alert.wait}`].filter(Boolean).join(", "))),
      h("p", {}, lsqlc.prose(alert.meaning)), h("ul", {}, alert.steps.map((step) => h("li", {}, lsqlc.prose(step)))), lsqlc.fold("Query", command(alert.expression))))),
    lsqlc.section("Full refresh", command(book.refresh.command), h("ul", {}, book.refresh.costs.map((cost) => h("li", {}, lsqlc.prose(cost))))),
  ];
};

