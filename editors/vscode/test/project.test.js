"use strict";

const assert = require("node:assert");
const test = require("node:test");
const { commandOf, dialectOf, modelLanguage, projectOf } = require("../src/project");

test("the command is what is set, what the folder has, or what is on the PATH", () => {
  const has = (...files) => (file) => files.includes(file.replaceAll("\\", "/"));
  assert.equal(commandOf("/opt/lsqlc", ["/shop"], has("/shop/.venv/bin/lsqlc"), "linux"), "/opt/lsqlc");
  assert.equal(commandOf("", ["/bikes", "/shop"], has("/shop/.venv/bin/lsqlc"), "linux"), "/shop/.venv/bin/lsqlc");
  assert.equal(commandOf("", ["/shop"], has(), "linux"), "lsqlc");
});

test("a model has the dialect of its config, of its project, or lenses", () => {
  assert.equal(dialectOf("name: shop\ndialect: ksql\n", "SELECT 1"), "ksql");
  assert.equal(dialectOf("name: shop\ndialect: ksql\n", "{{ config(tags=['a'], dialect='sql') }} SELECT 1"), "sql");
  assert.equal(dialectOf("name: shop\n", "SELECT 1"), "lenses");
  assert.deepEqual(["lenses", "ksql", "sql"].map(modelLanguage), ["lenses-sql", "ksqldb", null]);
});

test("a file belongs to the project of the nearest lsqlc.yml above it", () => {
  const exists = (file) => ["/a/lsqlc.yml", "/a/b/lsqlc.yml"].includes(file);
  assert.equal(projectOf("/a/b/models/x.sql", exists), "/a/b");
  assert.equal(projectOf("/a/models/deep/x.sql", exists), "/a");
  assert.equal(projectOf("/c/x.sql", exists), null);
});
