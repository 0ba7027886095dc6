//! The `happo` executable; everything is in the library.

fn main() -> std::process::ExitCode {
    happo::cli::run()
}
