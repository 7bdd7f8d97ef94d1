//! A program of WASI 0.2. Its first argument says what it does.

use wasip2::cli::{environment, exit, stderr, stdin, stdout};
use wasip2::clocks::{monotonic_clock, wall_clock};
use wasip2::filesystem::preopens;
use wasip2::io::{poll, streams::StreamError};
use wasip2::random::{insecure_seed, random};
use wasip2::sockets::{network, tcp_create_socket};

wit_bindgen::generate!({
    inline: "
        package example:clerk;

        world clerk {
            import wasi:logging/logging@0.1.0-draft;
        }

        package wasi:logging@0.1.0-draft {
            interface logging {
                enum level { trace, debug, info, warn, error, critical }
                log: func(level: level, context: string, message: string);
            }
        }
    ",
    generate_all,
});

use wasi::logging::logging;

const SECOND: u64 = 1_000_000_000;

struct Clerk;

wasip2::cli::command::export!(Clerk);

fn print(text: &str) {
    stdout::get_stdout()
        .blocking_write_and_flush(text.as_bytes())
        .unwrap();
}

/// Writes the input in capital letters.
fn shout() {
    let (input, output) = (stdin::get_stdin(), stdout::get_stdout());
    loop {
        match input.blocking_read(1000) {
            Ok(text) => output
                .blocking_write_and_flush(&text.to_ascii_uppercase())
                .unwrap(),
            Err(StreamError::Closed) => return,
            Err(StreamError::LastOperationFailed(e)) => panic!("{}", e.to_debug_string()),
        }
    }
}

/// Waits for the first of two times.
fn wait() {
    let (start, wall) = (monotonic_clock::now(), wall_clock::now());
    let late = monotonic_clock::subscribe_duration(7200 * SECOND);
    let early = monotonic_clock::subscribe_duration(3600 * SECOND);
    let ready = poll::poll(&[&late, &early]);
    let seconds = (monotonic_clock::now() - start) / SECOND;
    print(&format!(
        "{ready:?} after {seconds} s, from {} to {}\n",
        wall.seconds,
        wall_clock::now().seconds
    ));
    late.block();
    print(&format!(
        "both after {} s\n",
        (monotonic_clock::now() - start) / SECOND
    ));
}

impl wasip2::exports::cli::run::Guest for Clerk {
    fn run() -> Result<(), ()> {
        let arguments = environment::get_arguments();
        match arguments.get(1).map(String::as_str) {
            Some("shout") => shout(),
            Some("wait") => wait(),
            Some("random") => print(&format!(
                "{:?} {} {:?}\n",
                random::get_random_bytes(4),
                random::get_random_u64(),
                insecure_seed::insecure_seed()
            )),
            Some("files") => print(&format!("{} directories\n", preopens::get_directories().len())),
            Some("socket") => {
                let family = network::IpAddressFamily::Ipv4;
                let error = tcp_create_socket::create_tcp_socket(family).err();
                print(&format!("{}\n", error.map_or("a socket", |e| e.name())));
            }
            Some("fetch") => drop(wasip2::http::types::Fields::new()),
            Some("log") => {
                logging::log(logging::Level::Warn, "till", "no change");
                logging::log(logging::Level::Info, "", "closed");
            }
            Some("exit") => exit::exit_with_code(7),
            Some("fail") => {
                stderr::get_stderr()
                    .blocking_write_and_flush(b"nothing works\n")
                    .unwrap();
                return Err(());
            }
            _ => print(&format!("{arguments:?} {:?}\n", environment::get_environment())),
        }
        Ok(())
    }
}
