//! Packs the networks of this folder for the binary, before it is compiled.

use std::path::{Path, PathBuf};
use std::{env, fs};

mod delta;

/// Smallest output, whatever time it takes.
const LEVEL: u8 = 10;

fn main() {
    let folder = Path::new("src/nnue/nets");
    println!("cargo::rerun-if-changed={}", folder.display());
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names the folder for the output"));
    let read = |name: &str| fs::read(folder.join(name).with_extension("happonet")).expect("a network can be read");
    for entry in fs::read_dir(folder).expect("the folder of the networks is part of the sources") {
        let path = entry.expect("the folder can be read").path();
        if path.extension().is_some_and(|extension| extension == "happonet") {
            let name = path.file_stem().and_then(|name| name.to_str()).expect("networks have plain names");
            let mut network = read(name);
            if let Some((_, base)) = delta::BEGINNINGS.iter().find(|(later, _)| *later == name) {
                delta::apply(&mut network, &read(base), u8::wrapping_sub);
            }
            let packed = miniz_oxide::deflate::compress_to_vec(&network, LEVEL);
            let file = out.join(name).with_extension("deflate");
            fs::write(file, packed).expect("the folder for the output can be written to");
        }
    }
}
