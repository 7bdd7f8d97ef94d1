//! A canister for the tests of components: streams and futures between tasks.

wit_bindgen::generate!({ world: "example:relay/relay", path: ["../../wit", "wit"], generate_all });

use exports::example::relay::numbers::{Guest, Principal};
use ic::canister::calls;
use ic::canister::types::{Cycles, Principal as Callee};
use std::cell::{Cell, RefCell};
use wit_bindgen::{FutureReader, spawn_local};

thread_local! {
    static SOURCE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static TICKS: Cell<u32> = const { Cell::new(0) };
    static SUM: RefCell<Option<FutureReader<u32>>> = const { RefCell::new(None) };
}

struct Relay;

/// Calls tick of the other canister.
async fn next() -> u32 {
    let options = calls::Options { cycles: Cycles { low: 0, high: 0 }, timeout_seconds: None };
    let callee = Callee { principal: SOURCE.with_borrow(Clone::clone) };
    let reply = calls::call(callee, "tick".into(), b"DIDL\x00\x00".to_vec(), options).await.unwrap();
    u32::from_le_bytes(reply[7..].try_into().unwrap())
}

impl Guest for Relay {
    fn open(source: Principal) {
        SOURCE.set(source.principal);
    }

    fn tick() -> u32 {
        TICKS.set(TICKS.get() + 1);
        TICKS.get()
    }

    async fn collect(calls: u32) -> Vec<u32> {
        let (mut out, mut numbers) = wit_stream::new();
        spawn_local(async move {
            for _ in 0..calls {
                let n = next().await;
                out.write_all(vec![n, 10 * n, 100 * n]).await;
            }
        });
        let mut all = Vec::new();
        while let Some(n) = numbers.next().await {
            all.push(n);
        }
        all
    }

    async fn begin(calls: u32) {
        let (write, read) = wit_future::new(|| 0);
        SUM.set(Some(read));
        spawn_local(async move {
            let mut sum = 0;
            for _ in 0..calls {
                sum += next().await;
            }
            _ = write.write(sum).await;
        });
    }

    async fn sum() -> u32 {
        SUM.take().unwrap().await
    }
}

export!(Relay);
