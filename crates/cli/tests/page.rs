//! The page of `frit explain --html` in a browser. Run by `cargo xtask check` where Chromium is installed
//! (`scripts/setup.sh --test` installs it), or by `cargo test -p frit-cli --test page -- --ignored`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs in the page before everything else.
const BEFORE: &str = "<script>
  window.wrong = [];
  addEventListener('error', (e) => wrong.push(String(e.message)));
  console.error = (...said) => wrong.push(said.join(' '));
</script>";

/// Runs when the page is there; tells the page around it what it found.
const AFTER: &str = "<script>
  const wide = document.documentElement.scrollWidth, inner = innerWidth;
  const links = [...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href'));
  const dead = links.filter((to) => !to.startsWith('#') || !document.getElementById(to.slice(1)));
  const pictures = [...document.querySelectorAll('.zoom')], place = (e) => e.getBoundingClientRect();
  const drawn = pictures.length > 1 && pictures.every((p) => place(p.querySelector('svg')).height > 50);
  const fits = pictures.every((p) => p.scrollWidth <= p.clientWidth && place(p).height < 1000);
  const table = document.querySelector('.running, .arrays'), isBelow = place(table).top > place(pictures[0]).bottom;
  pictures[0].click();
  const zoomed = [...pictures[0].closest('.figures').querySelectorAll('svg')];
  const zooms = zoomed.length === 2 && zoomed.every((s) => place(s).width === Number(s.getAttribute('width')));
  pictures[0].click();
  location.hash = '#d1';
  setTimeout(() => {
    const on = document.querySelectorAll('.on'), kinds = new Set([...on].map((e) => e.tagName));
    const target = document.querySelector(':target');
    const box = target ? target.getBoundingClientRect() : { top: -1, bottom: -1 };
    const found = [`wide=${wide}`, `inner=${inner}`, `links=${links.length}`, `dead=${dead}`, `drawn=${drawn}`,
      `fits=${fits}`, `picture-first=${isBelow}`, `zooms=${zooms}`,
      `lines=${[...on].filter((e) => /^L\\d/.test(e.id)).length}`, `nodes=${kinds.has('g')}`,
      `seen=${box.bottom > 0 && box.top < innerHeight}`, `wrong=${wrong.join('; ')}`];
    parent.postMessage(found.join('|'), '*');
  }, 200);
</script>";

/// The page around: a window cannot be as narrow as a frame.
const AROUND: &str = "<!doctype html><script>
  addEventListener('message', (e) => {
    const pre = document.createElement('pre');
    pre.textContent = e.data;
    document.body.append(pre);
  });
</script><body style='margin: 0'>
<iframe src='checked.html' style='border: 0; height: 900px; width: 1280px'></iframe>
<iframe src='checked.html' style='border: 0; height: 900px; width: 400px'></iframe>";

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("frit-page-{name}-{}", std::process::id()));
        // Left by a process that had the same number and was killed.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed is no failure of what was tested.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What headless Chromium prints on standard output and standard error.
fn chromium(folder: &Path, words: &[String]) -> (String, String) {
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
        let version = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    });
    let program = found.expect("Chromium is installed: scripts/setup.sh --test does that");
    let out = Command::new(program)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=3000"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg("--window-size=1280,1000")
        .args(words)
        .output()
        .unwrap();
    assert!(out.status.success(), "Chromium ended with {}", out.status);
    (String::from_utf8_lossy(&out.stdout).into_owned(), String::from_utf8_lossy(&out.stderr).into_owned())
}

fn page_works(source: &str, words: &[&str]) {
    let name = Path::new(source).file_stem().unwrap().to_str().unwrap();
    let folder = Folder::new(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(source);
    let page = folder.0.join("page.html");
    let made = Command::new(env!("CARGO_BIN_EXE_frit"))
        .arg("explain")
        .arg(source)
        .args(words)
        .arg("--html")
        .arg(&page)
        .status();
    assert!(made.unwrap().success());
    let text = std::fs::read_to_string(&page).unwrap();
    let (head, body) = text.split_once("<head>").unwrap();
    let (body, end) = body.rsplit_once("</body>").unwrap();
    std::fs::write(folder.0.join("checked.html"), format!("{head}<head>{BEFORE}{body}{AFTER}</body>{end}")).unwrap();
    let around = folder.0.join("around.html");
    std::fs::write(&around, AROUND).unwrap();
    let (dom, log) = chromium(&folder.0, &["--dump-dom".into(), format!("file://{}", around.display())]);
    let all: Vec<&str> = dom.split("<pre>").skip(1).map(|part| part.split("</pre>").next().unwrap()).collect();
    assert!(!log.contains("CONSOLE"), "{log}");
    for width in [1280, 400] {
        let found = all.iter().find(|found| found.contains(&format!("|inner={width}|")));
        let found = *found.unwrap_or_else(|| panic!("{name} does not run at {width}:\n{all:?}\n{log}"));
        let value = |key: &str| found.split('|').find_map(|part| part.strip_prefix(key)).unwrap().to_string();
        let number = |key: &str| value(key).parse::<u32>().unwrap();
        assert!(number("wide=") <= width, "{name} is wider than {width}: {found}");
        assert!(number("links=") > 20 && value("dead=").is_empty(), "{found}");
        for what in ["drawn=", "fits=", "zooms="] {
            assert_eq!(value(what), "true", "{name} at {width}: {found}");
        }
        assert_eq!(value("picture-first="), (width > 1000).to_string(), "{name} at {width}: {found}");
        assert!(number("lines=") > 0 && value("nodes=") == "true", "decision 1 marks no line or no node: {found}");
        assert_eq!(value("seen="), "true", "a link does not lead to its place: {found}");
        assert_eq!(value("wrong="), "", "{found}");
    }
}

#[test]
#[ignore = "needs Chromium"]
fn a_small_page_works_wide_and_narrow() {
    page_works("examples/p1.l0", &[]);
}

#[test]
#[ignore = "needs Chromium"]
fn a_large_page_works_wide_and_narrow() {
    page_works("examples/swaption.l0", &[]);
}

#[test]
#[ignore = "needs Chromium"]
fn a_page_of_a_c_file_works_wide_and_narrow() {
    page_works("tests/c/kernels/harris.c", &[]);
}

#[test]
#[ignore = "needs Chromium"]
fn a_page_of_many_loops_that_look_alike_works_wide_and_narrow() {
    page_works("examples/tomcatv.sac", &["--entry", "tomcatv"]);
}

#[test]
#[ignore = "needs Chromium"]
fn a_page_of_several_functions_works_wide_and_narrow() {
    page_works("examples/mg.sac", &[]);
}
