// Starts `frit lsp`, and shows the page that `frit explain --html` writes.

const { execFile } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function frit() {
  return vscode.workspace.getConfiguration("frit").get("path", "frit");
}

function activate(context) {
  const server = { command: frit(), args: ["lsp"], transport: TransportKind.stdio };
  const documents = ["l0", "sac"].map((language) => ({ scheme: "file", language }));
  client = new LanguageClient("frit", "Frit", server, { documentSelector: documents });
  context.subscriptions.push(vscode.commands.registerCommand("frit.page", showPage));
  client.start().catch((error) => {
    vscode.window.showErrorMessage(`Frit: \`${frit()} lsp\` does not start: ${error.message}. Set "frit.path".`);
  });
}

function deactivate() {
  return client && client.isRunning() ? client.stop() : undefined;
}

// What stands in the file counts, so it is saved first.
async function showPage() {
  const document = vscode.window.activeTextEditor && vscode.window.activeTextEditor.document;
  if (!document || !["l0", "sac"].includes(document.languageId)) {
    vscode.window.showInformationMessage("Frit: open a file in L0 or SAC first.");
    return;
  }
  await document.save();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "frit-"));
  const page = path.join(folder, "page.html");
  const options = { cwd: path.dirname(document.fileName) };
  execFile(frit(), ["explain", document.fileName, "--html", page], options, (error, _, said) => {
    if (error) {
      vscode.window.showErrorMessage(`Frit: ${said || error.message}`);
    } else {
      const title = path.basename(document.fileName);
      const column = vscode.ViewColumn.Beside;
      const panel = vscode.window.createWebviewPanel("frit", title, column, { enableScripts: true });
      panel.webview.html = fs.readFileSync(page, "utf8");
    }
    fs.rmSync(folder, { recursive: true, force: true });
  });
}

module.exports = { activate, deactivate };
