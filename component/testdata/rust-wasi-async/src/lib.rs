//! A program of WASI 0.3: it waits for several times at once, and copies its input in capital letters.

use wasip3::cli::{stdin, stdout};
use wasip3::clocks::{monotonic_clock, system_clock};
use wasip3::random::random;
use wasip3::wit_bindgen::StreamReader;

wasip3::cli::command::export!(Timers);

const SECOND: u64 = 1_000_000_000;

struct Timers;

/// Waits, and says when it did.
async fn timer(name: &str, seconds: u64) -> String {
    let start = monotonic_clock::now();
    monotonic_clock::wait_for(seconds * SECOND).await;
    let waited = (monotonic_clock::now() - start) / SECOND;
    format!("{name} waited {waited} s\n")
}

async fn shout(mut input: StreamReader<u8>) -> Vec<u8> {
    let mut text = Vec::new();
    while let Some(byte) = input.next().await {
        text.push(byte.to_ascii_uppercase());
    }
    text
}

impl wasip3::exports::cli::run::Guest for Timers {
    async fn run() -> Result<(), ()> {
        let (mut output, written) = wasip3::wit_stream::new();
        let done = stdout::write_via_stream(written);
        let started = system_clock::now();
        let (slow, fast) = futures::join!(timer("the slow one", 7200), timer("the fast one", 60));
        let (input, ended) = stdin::read_via_stream();
        let text = shout(input).await;
        let end = ended.await;
        output.write_all(text).await;
        let seconds = system_clock::now().seconds - started.seconds;
        let report = format!(
            "{slow}{fast}{end:?} after {seconds} s, {}\n",
            random::get_random_u64()
        );
        output.write_all(report.into_bytes()).await;
        drop(output);
        done.await.map_err(|_| ())
    }
}
