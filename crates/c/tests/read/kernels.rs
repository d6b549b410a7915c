//! The kernels of the project.

use crate::show::{file, same_length, show_text};
use frit_c::ReadOptions;
use std::path::PathBuf;

fn kernels() -> Vec<(PathBuf, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/kernels");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn every_region_of_the_kernels_is_read() {
    for (path, text) in kernels() {
        let file = file(&text, ReadOptions::default());
        if std::env::var("SHOW").is_ok_and(|name| path.to_string_lossy().contains(&name)) {
            println!("{}", show_text(&text, ReadOptions::default()));
        }
        assert_eq!(file.regions.len(), text.matches("#pragma scop").count(), "{path:?}: {:?}", file.remarks);
        for region in &file.regions {
            assert!(same_length(&region.scop.statements, &region.statements));
            assert!(same_length(&region.scop.arrays, &region.arrays));
        }
        if !file.remarks.is_empty() {
            println!(
                "{path:?}: {:#?}",
                file.remarks.iter().map(|remark| (remark.code, &remark.message)).collect::<Vec<_>>()
            );
        }
    }
}
