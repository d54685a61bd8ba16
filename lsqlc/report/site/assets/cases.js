/* Cases: the records that go in, and the rows that come out, each as columns. */
"use strict";

lsqlc.case = (one, open) => {
  const { h } = lsqlc;
  const many = one.batches.length > 1;
  const records = one.batches.flatMap((batch, number) => batch.map((record) => ({ record, batch: many ? number + 1 : null })));
  const found = [h("h3", {}, "Records"), records.length ? lsqlc.records(records) : h("p", {}, "no records")];
  if (one.now) found.push(h("p", {}, `The clock stands at ${one.now}.`));
  for (const [count, time] of one.advances) found.push(h("p", {}, `After ${count} of them time goes on to ${time}.`));
  if (one.expect.length) found.push(h("h3", {}, "Expected"), lsqlc.records(one.expect.map((record) => ({ record, batch: null }))));
  if (one.asserts.length) found.push(h("h3", {}, "Asserted"), h("ul", {}, one.asserts.map(([topic, kind, text]) => h("li", {}, `${topic}: ${kind} `, h("code", {}, text)))));
  found.push(h("h3", {}, "Results"), one.golden === null ? h("p", {}, "There is no golden file.") : lsqlc.results(one.golden));
  return h("details", { class: "case", "data-case": one.name, open: open ? "" : null }, h("summary", {}, one.name, " ", h("small", {}, `${one.path}:${one.line}`)), found);
};

/* A golden file as rows; null stands for one that cannot be read, which is shown as it is. */
lsqlc.results = ({ rows, text }) => {
  if (rows === null) return lsqlc.h("pre", {}, lsqlc.h("code", {}, text));
  if (!rows.length) return lsqlc.h("p", {}, "Nothing comes out.");
  return lsqlc.records(rows.map((record) => ({ record, batch: null })));
};

/* Records as tables: those that follow each other with one topic and the same members are rows of one table. */
lsqlc.records = (records) => {
  const groups = [];
  for (const { record: [topic, key, value, timestamp], batch } of records) {
    const keys = lsqlc.members(key), values = lsqlc.members(value);
    const row = { topic, batch, timestamp, deleted: value === "null",
      cells: new Map([...(keys || [["", key]]).map(([name, text]) => [name ? `_key.${name}` : "_key", text]), ...(value === "null" ? [] : values || [["_value", value]])]) };
    const last = groups.at(-1);
    const shape = (cells) => [...cells.keys()].filter((name) => name.startsWith("_key")).join();
    if (last && last.topic === topic && shape(last.rows[0].cells) === shape(row.cells)) last.rows.push(row);
    else groups.push({ topic, rows: [row] });
  }
  return groups.map(lsqlc.recordTable);
};

lsqlc.recordTable = ({ topic, rows }) => {
  const { h } = lsqlc;
  const names = [...new Set(rows.flatMap((row) => [...row.cells.keys()]))];
  const keys = names.filter((name) => name.startsWith("_key")), all = names.filter((name) => !name.startsWith("_key"));
  // Of a wide topic a case gives few columns: those without any value are counted, not shown.
  const full = all.filter((name) => rows.some((row) => ![undefined, "null"].includes(row.cells.get(name))));
  const values = all.length - full.length > 2 ? full : all, left = all.length - values.length;
  const [batches, times] = [rows.some((row) => row.batch !== null), rows.some((row) => row.timestamp !== null && row.timestamp !== undefined)];
  const heads = [...(batches ? ["batch"] : []), ...keys, ...values, ...(times ? ["timestamp"] : [])];
  const cell = (text, look = "") => {
    const [kind, shown] = lsqlc.scalar(text);
    return h("td", { class: [kind, look].filter(Boolean).join(" ") }, shown);
  };
  const gone = (row) => h("td", { class: "nothing", colspan: Math.max(1, values.length) }, "deleted");
  return h("div", { class: "scroll", tabindex: "0" }, h("table", { class: "rows" }, h("caption", {}, lsqlc.link("topic", topic), left ? `, ${left} more columns are null` : null),
    h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, batches ? h("td", { class: "digits" }, row.batch) : null, keys.map((name) => cell(row.cells.get(name), "of-key")),
      row.deleted && values.length ? gone(row) : values.map((name) => cell(row.cells.get(name))), times ? h("td", { class: "digits" }, row.timestamp ?? "") : null)))));
};

/* The members of an object of JSON, as they are written: numbers keep their digits. Null for anything else. */
lsqlc.members = (text) => {
  if (text === undefined || text === null || !text.trim().startsWith("{")) return null;
  const inner = text.trim().slice(1, -1), parts = [];
  let depth = 0, quoted = false, start = 0;
  for (let i = 0; i < inner.length; i++) {
    const c = inner[i];
    if (quoted) { if (c === "\\") i++; else if (c === '"') quoted = false; }
    else if (c === '"') quoted = true;
    else if (c === "{" || c === "[") depth++;
    else if (c === "}" || c === "]") depth--;
    else if (c === "," && !depth) { parts.push(inner.slice(start, i)); start = i + 1; }
  }
  if (inner.trim()) parts.push(inner.slice(start));
  const found = parts.map((part) => {
    const name = part.match(/^\s*"((?:[^"\\]|\\.)*)"\s*:/);
    return name && [JSON.parse(`"${name[1]}"`), part.slice(name[0].length).trim()];
  });
  return found.length && found.every(Boolean) ? found : null;
};

/* How a value of JSON is shown: a plain text without its quotes, what could be taken for something else with them. */
lsqlc.scalar = (text) => {
  if (text === undefined) return ["nothing", ""];
  if (text === "null") return ["nothing", "null"];
  if (/^-?\d/.test(text)) return ["digits", text];
  const plain = text.match(/^"([^"\\\s](?:[^"\\]*[^"\\\s])?)"$/);
  if (plain && !/^(null|true|false|deleted|[-\d{[].*)$/.test(plain[1])) return ["", plain[1]];
  return ["", text];
};
