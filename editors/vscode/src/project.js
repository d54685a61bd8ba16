/* What the extension knows of projects, without VS Code: so that it can be tested without it. */
"use strict";

const path = require("node:path");

/* The command to start: the one that is set, that of a folder's environment, or the one on the PATH. */
exports.commandOf = (given, folders, exists, platform) => {
  if (given) return given;
  const inside = platform === "win32" ? ["Scripts", "lsqlc.exe"] : ["bin", "lsqlc"];
  const found = folders.flatMap((folder) => [".venv", "venv"].map((name) => path.join(folder, name, ...inside))).find(exists);
  return found || "lsqlc";
};

/* The folder of the nearest lsqlc.yml above a file. */
exports.projectOf = (file, exists) => {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (exists(path.join(folder, "lsqlc.yml"))) return folder;
    if (folder === path.dirname(folder)) return null;
  }
};

/* The dialect of a model: that of its config() call, of the project, or the one that both leave out. */
exports.dialectOf = (project, model) => {
  const own = model.match(/\{\{-?\s*config\([^)]*\bdialect\s*=\s*['"](\w+)['"]/);
  const declared = project.match(/^dialect:\s*['"]?(\w+)/m);
  return own?.[1] || declared?.[1] || "lenses";
};

/* The language of a dialect in VS Code; that of Spark's SQL is the one it has. */
exports.modelLanguage = (dialect) => ({ lenses: "lenses-sql", ksql: "ksqldb" })[dialect] || null;
