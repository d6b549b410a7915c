//! `frit lsp`, by a client that speaks the protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// What an answer may take.
const LONGEST: Duration = Duration::from_secs(60);

struct Client {
    server: Child,
    stdin: ChildStdin,
    messages: Receiver<Value>,
    /// Messages that nobody has asked for yet.
    waiting: Vec<Value>,
    requests: i64,
}

impl Client {
    fn new() -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_frit"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if stdout.read_line(&mut line).unwrap() == 0 {
                        return;
                    }
                    match line.trim().strip_prefix("Content-Length: ") {
                        Some(number) => length = number.parse().unwrap(),
                        None if line.trim().is_empty() => break,
                        None => {}
                    }
                }
                let mut body = vec![0; length];
                stdout.read_exact(&mut body).unwrap();
                if sender.send(serde_json::from_slice(&body).unwrap()).is_err() {
                    return;
                }
            }
        });
        let mut client = Self { server, stdin, messages, waiting: Vec::new(), requests: 0 };
        let capabilities = client.request("initialize", json!({ "capabilities": {} }))["capabilities"].clone();
        assert_eq!(capabilities["renameProvider"], true);
        client.notify("initialized", json!({}));
        client
    }

    fn send(&mut self, message: Value) {
        let body = message.to_string();
        write!(self.stdin, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        self.stdin.flush().unwrap();
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn find(&mut self, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.waiting.iter().position(&is_wanted) {
                return self.waiting.remove(at);
            }
            let message = self.messages.recv_timeout(LONGEST).unwrap_or_else(|_| panic!("no answer to {what}"));
            self.waiting.push(message);
        }
    }

    /// The response to a request: its result, or its error.
    fn response(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.find(method, |message| message["id"] == id)
    }

    #[track_caller]
    fn request(&mut self, method: &str, params: Value) -> Value {
        let response = self.response(method, params);
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].clone()
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "l0", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, uri: &str, version: i32, text: &str) {
        let document = json!({ "uri": uri, "version": version });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
        );
    }

    /// What is said of this version of a text.
    fn diagnostics(&mut self, uri: &str, version: i32) -> Value {
        let is_it = |message: &Value| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
        };
        self.find("a change", is_it)["params"]["diagnostics"].clone()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.server.kill();
            return;
        }
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        assert!(self.server.wait().unwrap().success());
    }
}

fn at(uri: &str, line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
}

const L0: &str = "file:///nowhere/a%20b.l0";
const PROGRAM: &str = "// Größe\nfun real sum([real] xs) = reduce(op +, 0.0, xs)\nfun real main([real] a) =\n  let b = map(op * (2.0), a) in\n  let b = map(op + (1.0), b) in\n  sum(b)\n";

#[test]
fn names_of_l0_have_types_definitions_and_new_names() {
    let mut client = Client::new();
    client.open(L0, PROGRAM);
    assert_eq!(client.diagnostics(L0, 1), json!([]));
    let mut hover = |line, character| {
        client.request("textDocument/hover", at(L0, line, character))["contents"]["value"]
            .as_str()
            .unwrap_or("")
            .to_string()
    };
    assert_eq!(hover(5, 3), "```l0\nfun real sum([real] xs)\n```");
    assert_eq!(hover(5, 6), "```l0\n*[real] b\n```");
    assert_eq!(hover(3, 12), "```l0\n*[real]\n```");
    let definition = |client: &mut Client, line, character| {
        client.request("textDocument/definition", at(L0, line, character))["range"].clone()
    };
    assert_eq!(definition(&mut client, 5, 2), range(1, 9, 12));
    assert_eq!(definition(&mut client, 5, 6), range(4, 6, 7));
    assert_eq!(definition(&mut client, 4, 26), range(3, 6, 7));
    let mut named = at(L0, 5, 6);
    named["newName"] = "c".into();
    let edits = client.request("textDocument/rename", named.clone())["changes"][L0].clone();
    assert_eq!(edits.as_array().unwrap().len(), 4, "{edits}");
    named["newName"] = "a".into();
    let refused = client.response("textDocument/rename", named);
    assert!(refused["error"]["message"].as_str().unwrap().contains("no new name"), "{refused}");
    let mut named = at(L0, 1, 10);
    named["newName"] = "total".into();
    let edits = client.request("textDocument/rename", named)["changes"][L0].clone();
    assert_eq!(
        edits,
        json!([{ "range": range(1, 9, 12), "newText": "total" }, { "range": range(5, 2, 5), "newText": "total" }])
    );
}

#[test]
fn mistakes_come_with_their_places_as_one_types() {
    let mut client = Client::new();
    client.open(L0, PROGRAM);
    let wrong = "fun int main(*[int] a) =\n  let b = a in\n  let a[0] = 1 in\n  b[0]\n";
    client.change(L0, 2, "fun int main(");
    client.change(L0, 3, wrong);
    let told = client.diagnostics(L0, 3);
    assert_eq!((&told[0]["code"], &told[0]["range"]), (&json!("use-after-consumption"), &range(3, 2, 6)), "{told}");
    assert_eq!(told[0]["relatedInformation"][0]["location"]["range"], range(2, 6, 7), "{told}");
    // What is half typed has completions and no answers that are wrong.
    client.change(L0, 4, "fun int twice(int x) = 2 * x\nfun int main(int count) = tw");
    let items = client.request("textDocument/completion", at(L0, 1, 28));
    let labels: Vec<&str> = items.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect();
    assert!(["twice", "count", "reduce"].iter().all(|name| labels.contains(name)), "{labels:?}");
    assert_eq!(client.diagnostics(L0, 4)[0]["code"], "unknown-variable");
    for end in 0..PROGRAM.chars().count() {
        let text: String = PROGRAM.chars().take(end).collect();
        let lines = text.matches('\n').count() as u32;
        client.change(L0, 5 + end as i32, &text);
        client.request("textDocument/hover", at(L0, lines, 9));
        client.request("textDocument/completion", at(L0, lines, 900));
    }
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": L0 } }));
    assert!(
        client.response("textDocument/hover", at(L0, 0, 0))["error"]["message"].as_str().unwrap().contains("not open")
    );
}

#[test]
fn texts_are_laid_out_and_loops_say_what_became_of_them() {
    let mut client = Client::new();
    client.open(L0, "fun int main( )=1\n");
    let document = json!({ "textDocument": { "uri": L0 }, "options": { "tabSize": 2, "insertSpaces": true } });
    let edits = client.request("textDocument/formatting", document);
    assert_eq!(edits[0]["newText"], "fun int main() = 1\n");
    client.change(L0, 2, PROGRAM);
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": L0 } }));
    let titles: Vec<(u64, &str)> = lenses
        .as_array()
        .unwrap()
        .iter()
        .map(|lens| (lens["range"]["start"]["line"].as_u64().unwrap(), lens["command"]["title"].as_str().unwrap()))
        .collect();
    assert!(titles.iter().any(|(_, title)| title.starts_with("3 loops in one: reads 8*")), "{titles:?}");
    assert!(titles.iter().any(|(line, title)| *line == 1 && title.starts_with("fused with line")), "{titles:?}");
}

#[test]
fn the_grammar_of_the_extension_knows_every_word_of_l0() {
    let path = crate::cli::place::project().join("editors/vscode/syntaxes/l0.tmLanguage.json");
    let grammar = std::fs::read_to_string(path).unwrap();
    let words: Vec<&str> = grammar.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let mut client = Client::new();
    client.open(L0, "");
    let items = client.request("textDocument/completion", at(L0, 0, 0));
    let items = items.as_array().unwrap();
    let keywords = items.iter().filter(|item| item["kind"] == 14).map(|item| item["label"].as_str().unwrap());
    assert!(items.len() > 50);
    for keyword in keywords {
        // A word boundary is written in front of some.
        assert!(words.iter().any(|word| word.trim_start_matches('b') == keyword.trim_start_matches('b')), "{keyword}");
    }
}

#[test]
fn sac_has_the_same() {
    let uri = "file:///nowhere/f.sac";
    let text = "int twice(int[.] v)\n{\n  k = v + 1;\n  return sum(k * 2);\n}\nint main() { return twice([1, 2]); }\n";
    let mut client = Client::new();
    client.open(uri, text);
    assert_eq!(client.diagnostics(uri, 1), json!([]));
    let hover = client.request("textDocument/hover", at(uri, 5, 21))["contents"]["value"].clone();
    assert_eq!(hover, "```sac\nint twice(int[.] v)\n```");
    assert_eq!(client.request("textDocument/hover", at(uri, 2, 6))["contents"]["value"], "```sac\nint[.] v\n```");
    let library = client.request("textDocument/hover", at(uri, 3, 10))["contents"]["value"].clone();
    assert!(library.as_str().unwrap().contains("int sum("), "{library}");
    assert_eq!(client.request("textDocument/definition", at(uri, 3, 13))["range"], range(2, 2, 3));
    let mut named = at(uri, 2, 2);
    named["newName"] = "shifted".into();
    assert_eq!(client.request("textDocument/rename", named)["changes"][uri].as_array().unwrap().len(), 2);
    client.change(uri, 2, &text.replace("v + 1", "v + "));
    assert_eq!(client.diagnostics(uri, 2)[0]["range"]["start"]["line"], 2);
}
