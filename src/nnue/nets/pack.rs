//! Packs the networks of this folder for the binary, before it is compiled.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Smallest output, whatever time it takes.
const LEVEL: u8 = 10;

fn main() {
    let folder = Path::new("src/nnue/nets");
    println!("cargo::rerun-if-changed={}", folder.display());
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names the folder for the output"));
    for entry in fs::read_dir(folder).expect("the folder of the networks is part of the sources") {
        let path = entry.expect("the folder can be read").path();
        if path.extension().is_some_and(|extension| extension == "happonet") {
            let network = fs::read(&path).expect("a network can be read");
            let packed = miniz_oxide::deflate::compress_to_vec(&network, LEVEL);
            let name = path.with_extension("deflate");
            let name = name.file_name().expect("a file has a name");
            fs::write(out.join(name), packed).expect("the folder for the output can be written to");
        }
    }
}
