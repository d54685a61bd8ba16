/* The client of `lsqlc lsp`: it finds the command, starts the server, and gives models the language of their dialect. */
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { commandOf, dialectOf, modelLanguage, projectOf } = require("./project");

let client;

const settings = () => vscode.workspace.getConfiguration("lsqlc");
const exists = (file) => fs.existsSync(file);
const read = (file) => {
  try { return fs.readFileSync(file, "utf-8"); } catch { return ""; }
};

async function start() {
  const folders = (vscode.workspace.workspaceFolders || []).map((folder) => folder.uri.fsPath);
  const command = commandOf(settings().get("path"), folders, exists, process.platform);
  const given = settings().get("vars");
  const server = { command, args: ["lsp", ...(given ? ["--vars", given] : [])] };
  const documents = ["**/*.sql", "**/*.lsql", "**/*.ksql", "**/*.{yml,yaml}"].map((pattern) => ({ scheme: "file", pattern }));
  client = new LanguageClient("lsqlc", "lsqlc", server, { documentSelector: documents });
  try {
    await client.start();
  } catch (error) {
    const said = `lsqlc cannot be started as '${command}': ${error.message}`;
    const chosen = await vscode.window.showErrorMessage(said, "Open the settings", "How to install it");
    if (chosen === "Open the settings") vscode.commands.executeCommand("workbench.action.openSettings", "lsqlc.path");
    if (chosen === "How to install it") vscode.window.showInformationMessage("pip install 'lsqlc[editor]', in the environment of the project");
  }
}

/* A model is SQL to VS Code; by its project it is of a dialect. */
function named(document) {
  if (document.uri.scheme !== "file" || document.languageId !== "sql" || !settings().get("setLanguage")) return;
  const project = projectOf(document.uri.fsPath, exists);
  if (!project) return;
  const language = modelLanguage(dialectOf(read(path.join(project, "lsqlc.yml")), document.getText()));
  if (language) vscode.languages.setTextDocumentLanguage(document, language);
}

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.workspace.onDidOpenTextDocument(named),
    vscode.commands.registerCommand("lsqlc.restart", async () => {
      if (client?.isRunning()) await client.stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("lsqlc.path") || event.affectsConfiguration("lsqlc.vars")) await vscode.commands.executeCommand("lsqlc.restart");
    }),
  );
  vscode.workspace.textDocuments.forEach(named);
  await start();
};

exports.deactivate = () => (client?.isRunning() ? client.stop() : undefined);
