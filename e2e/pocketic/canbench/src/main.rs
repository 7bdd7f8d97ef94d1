//! canbench, unmodified, with canisterd as its runtime: the arguments WASM RESULTS RUNTIME run the benchmarks of a
//! module as `canbench --persist --runtime-path RUNTIME --no-runtime-integrity-check` does.

use std::path::PathBuf;

fn main() {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [wasm, results, runtime] = &paths[..] else { panic!("the program takes three paths, got {}", paths.len()) };
    let (persist, show, integrity_check, tracing) = (true, false, false, false);
    canbench::run_benchmarks(
        wasm, None, vec![], persist, false, results, &results.with_extension("csv"), false, show, show, false, integrity_check, tracing, runtime,
        None, None, 0.0,
    );
}
