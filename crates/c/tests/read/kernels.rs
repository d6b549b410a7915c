//! The kernels of the project.

use crate::read::show::{file, same_length, show_text};
use frit_c::ReadOptions;
use std::path::PathBuf;

pub(crate) fn kernels() -> Vec<(PathBuf, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/kernels");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn every_region_of_the_kernels_is_read() {
    for (path, text) in kernels() {
        if let Ok(name) = std::env::var("SHOW_REGIONS")
            && path.to_string_lossy().contains(&name)
        {
            println!("{path:?}\n{}", show_text(&text, ReadOptions::default()));
        }
        let file = file(&text, ReadOptions::default());
        let expected = text.matches("#pragma scop").count();
        assert_eq!(file.regions.len(), expected, "{path:?}: {:?}", file.remarks);
        assert!(file.remarks.is_empty(), "{path:?}: {:?}", file.remarks);
        for region in &file.regions {
            assert!(same_length(&region.scop.statements, &region.statements));
            assert!(same_length(&region.scop.arrays, &region.arrays));
            let is_opaque = |(_, data): (_, &frit_scop::StatementData)| data.opaque.is_some();
            assert!(!region.scop.statements.iter().any(is_opaque), "{path:?}");
            assert!(
                !text.contains("restrict")
                    || !region.arrays.iter().any(|(_, array)| array.form == frit_c::Form::Unknown),
                "{path:?}"
            );
        }
    }
}

#[test]
fn files_that_are_to_be_left_alone_are_read_or_refused() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/broken");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for path in files {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let shown = show_text(&text, ReadOptions::default());
        if std::env::var("SHOW_REGIONS").is_ok_and(|name| path.to_string_lossy().contains(&name)) {
            println!("{path:?}\n{shown}");
        }
        assert!(
            text.contains("fused") || shown.contains(": ") || text.contains("empty"),
            "{path:?} has a remark or a region"
        );
    }
}
