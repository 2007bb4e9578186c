//! What the book and the README show must work: every command line parses and names scenes that exist, every complete scene
//! loads, every link leads somewhere, every page is in the table of contents.

use crate::args::{Arguments, Command};
use clap::Parser;
use std::path::{Path, PathBuf};
use tumble_scene::{Loader, gallery};

/// The pages of the book, and the README.
fn pages() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "md"));
    files.extend(["README.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
    files.sort();
    files.into_iter().map(|file| (file.clone(), std::fs::read_to_string(file).unwrap())).collect()
}

/// The fenced blocks of a page in the given language, without the indentation of their fence.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else { continue };
        let indent = line.len() - line.trim_start().len();
        let block: Vec<&str> = lines.by_ref().take_while(|line| !line.trim_start().starts_with("```")).collect();
        if info == language {
            found.push(block.iter().map(|line| format!("{}\n", line.get(indent..).unwrap_or(""))).collect());
        }
    }
    found
}

/// The words of a shell command: quotes keep spaces together, `#` begins a comment, `&&` and `|` end the command.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut open) = (Vec::new(), String::new(), false, false);
    for c in line.chars().chain([' ']) {
        match c {
            '\'' => (quoted, open) = (!quoted, true),
            '#' if !open => break,
            ' ' if !quoted => {
                if open {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            c => {
                word.push(c);
                open = true;
            }
        }
    }
    words.truncate(words.iter().position(|word| word == "&&" || word == "|").unwrap_or(words.len()));
    words
}

/// The command lines of `tumble` in a text: as such, or through cargo.
fn commands(text: &str) -> impl Iterator<Item = Vec<String>> {
    text.lines().map(words).filter_map(|words| {
        let begin = match words.first()?.as_str() {
            "tumble" => 1,
            "cargo" if words.get(1)? == "run" && !words.contains(&"--example".to_owned()) => {
                words.iter().position(|word| word == "--").map_or(words.len(), |at| at + 1)
            }
            _ => return None,
        };
        Some([&["tumble".to_owned()], &words[begin..]].concat())
    })
}

/// The scenes that a command names.
fn scenes(command: Command) -> Vec<String> {
    match command {
        Command::Run(run) => vec![run.choice.scene],
        Command::View(view) => view.scene.into_iter().collect(),
        Command::Compare(compare) => vec![compare.choice.scene],
        Command::Render(render) => vec![render.choice.scene],
        Command::Check(check) => check.scenes,
        Command::Bench(bench) => bench.scenes,
        Command::Limits(limits) if limits.names.len() == 2 => limits.names.into_iter().take(1).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn commands_of_the_book_parse_and_name_scenes_that_exist() {
    let mut seen = 0;
    for (file, page) in pages() {
        for block in blocks(&page, "sh") {
            for words in commands(&block) {
                if words.get(1).is_some_and(|word| word == "help") {
                    continue;
                }
                let parsed = Arguments::try_parse_from(&words);
                let arguments = parsed.unwrap_or_else(|error| panic!("{}: {words:?}: {error}", file.display()));
                for scene in arguments.command.map(scenes).unwrap_or_default() {
                    let known = scene.contains('.') || gallery::find(&scene).is_some();
                    assert!(known, "{}: {words:?}: there is no scene {scene}", file.display());
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen} commands");
}

#[test]
fn scenes_of_the_book_load() {
    let mut seen = 0;
    for (file, page) in pages() {
        for text in blocks(&page, "toml").iter().filter(|text| text.contains("title =")) {
            let loaded = Loader::new().load_text("book.toml", text);
            assert!(loaded.is_ok(), "{}: {:?}\n{text}", file.display(), loaded.err());
            seen += 1;
        }
    }
    assert!(seen > 2, "{seen} scenes");
}

/// The names under which the headings of a page can be linked to, as mdBook and forges make them.
fn anchors(page: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut fenced = false;
    for line in page.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let Some(heading) = line.strip_prefix('#').filter(|_| !fenced) else { continue };
        let kept = heading.trim_start_matches('#').trim().chars();
        let kept = kept.filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        let name: String = kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect();
        let again = (1..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.clone()).chain(again).find(|name| !found.contains(name));
        found.extend(free);
    }
    found
}

/// Files are there, headings too, and pages of the book lead to nothing outside of it, which is not served with it.
#[test]
fn links_lead_somewhere() {
    let pages = pages();
    for (file, page) in &pages {
        let folder = file.parent().unwrap();
        for target in page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            if path.contains("://") {
                continue;
            }
            let there = if path.is_empty() { file.clone() } else { folder.join(path) };
            assert!(there.exists(), "{}: {target}", file.display());
            assert!(!(folder.ends_with("docs") && path.starts_with("..")), "{}: {target}", file.display());
            let linked = pages.iter().find(|(other, _)| other.canonicalize().unwrap() == there.canonicalize().unwrap());
            if let Some((_, text)) = linked.filter(|_| !heading.is_empty()) {
                assert!(anchors(text).iter().any(|name| name == heading), "{}: no heading {target}", file.display());
            }
        }
    }
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let pages = pages();
    let (_, contents) = pages.iter().find(|(file, _)| file.ends_with("SUMMARY.md")).unwrap();
    for (file, _) in pages.iter().filter(|(file, _)| file.parent().unwrap().ends_with("docs")) {
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(name == "SUMMARY.md" || contents.contains(&format!("({name})")), "{name} is not in SUMMARY.md");
    }
}
