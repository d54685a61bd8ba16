"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const oniguruma = require("vscode-oniguruma");
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");

const root = path.join(__dirname, "..");
const { grammars } = require("../package.json").contributes;
const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer;
const engine = oniguruma.loadWASM(wasm).then(() => ({
  createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
  createOnigString: (text) => new oniguruma.OnigString(text),
}));
// As VS Code reads them, with what is injected.
const registry = new Registry({
  onigLib: engine,
  loadGrammar: async (scope) => {
    const found = grammars.find((grammar) => grammar.scopeName === scope);
    const file = found && path.join(root, found.path);
    return file ? parseRawGrammar(fs.readFileSync(file, "utf-8"), file) : null;
  },
  getInjections: (scope) => grammars.filter((grammar) => grammar.injectTo?.includes(scope)).map((grammar) => grammar.scopeName),
});

/* The words of a text with the innermost scope of each, without its last part; blanks left out. */
const scopes = async (scope, text) => {
  const grammar = await registry.loadGrammar(scope);
  const found = [];
  let state = INITIAL;
  for (const line of text.split("\n")) {
    const read = grammar.tokenizeLine(line, state);
    state = read.ruleStack;
    for (const { startIndex, endIndex, scopes: all } of read.tokens) {
      const word = line.slice(startIndex, endIndex).trim();
      if (word) found.push([word, all.at(-1).replace(/\.(sql|jinja)$/, "")]);
    }
  }
  return found;
};
const of = async (scope, text, word) => (await scopes(scope, text)).find(([seen]) => seen === word)?.[1];

test("Lenses: keywords, names with hyphens, functions, durations, comments", async () => {
  const text = "-- SELECT\nINSERT INTO planes-by-airport\nSELECT STREAM COUNT(*) AS n, 'it''s' AS s FROM `group by` WINDOW BY TUMBLE 5m GROUP BY a.from;";
  const found = new Map(await scopes("source.lenses-sql", text));
  assert.equal(found.get("-- SELECT"), "comment.line.double-dash");
  for (const word of ["INSERT", "INTO", "STREAM", "AS", "WINDOW", "TUMBLE", "GROUP"]) assert.equal(found.get(word), "keyword.other", word);
  assert.equal(found.get("COUNT"), "support.function");
  assert.equal(found.get("5m"), "constant.numeric");
  assert.equal(found.get("''"), "constant.character.escape");
  assert.equal(found.get("group by"), "variable.other.quoted");
  const inside = await scopes("source.lenses-sql", "SELECT STREAM x FROM planes-by-airport");
  assert.deepEqual(inside.at(-1), ["planes-by-airport", "source.lenses-sql"], "a keyword in a name is none");
});

test("ksqlDB: statements, types, properties", async () => {
  const text = "CREATE OR REPLACE TABLE t (id INT PRIMARY KEY) WITH (KAFKA_TOPIC = 'a b');\nSELECT * FROM t EMIT CHANGES;";
  for (const word of ["CREATE", "REPLACE", "PRIMARY", "KEY", "EMIT", "CHANGES"]) assert.equal(await of("source.ksqldb", text, word), "keyword.other", word);
  assert.equal(await of("source.ksqldb", text, "INT"), "storage.type");
  assert.equal(await of("source.ksqldb", text, "a b"), "string.quoted.single");
});

test("Jinja in every kind of SQL, over lines too", async () => {
  for (const scope of ["source.lenses-sql", "source.ksqldb"]) {
    const text = "{% set least = var('least') %}\nSELECT a FROM {{ ref('x') }} {# FROM\n old #} WHERE b > {{ least }}";
    const found = await scopes(scope, text);
    const map = new Map(found);
    assert.equal(map.get("set"), "keyword.control");
    assert.equal(map.get("ref"), "support.function");
    assert.equal(map.get("'x'"), "string.quoted.single");
    assert.equal(map.get("{{"), "punctuation.section.embedded.begin");
    assert.equal(map.get("old"), "comment.block");
    assert.equal(map.get("WHERE"), "keyword.other", "what follows is SQL again");
  }
});
