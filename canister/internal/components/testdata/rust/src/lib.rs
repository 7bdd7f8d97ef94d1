//! A canister for the tests of components: a till, the bank that it deposits in, and what the network offers.

wit_bindgen::generate!({ world: "example:till/market", path: ["../../wit", "wit"], generate_all });

use exports::example::till as own;
use ic::canister::types::{Cycles, Principal};
use ic::canister::{calls, canister, message, stable_memory};
use std::cell::{Cell, RefCell};

thread_local! {
    static BANK: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static CAREFUL: Cell<bool> = const { Cell::new(false) };
    static BUSY: Cell<bool> = const { Cell::new(false) };
    static LEFT: Cell<u64> = const { Cell::new(0) };
    static BALANCE: Cell<u64> = const { Cell::new(0) };
    static ALARMS: Cell<u32> = const { Cell::new(0) };
    static STARTED: RefCell<String> = const { RefCell::new(String::new()) };
}

struct Market;

/// The message deposit(amount) in Candid.
fn argument(amount: u64) -> Vec<u8> {
    let mut bytes = b"DIDL\x00\x01\x78".to_vec();
    bytes.extend(amount.to_le_bytes());
    bytes
}

async fn deposit(amount: u64, timeout_seconds: Option<u32>) -> Result<(), String> {
    let options = calls::Options { cycles: Cycles { low: 0, high: 0 }, timeout_seconds };
    let bank = Principal { principal: BANK.with_borrow(Clone::clone) };
    match calls::call(bank, "deposit".into(), argument(amount), options).await {
        Ok(_) => Ok(()),
        Err(reject) => Err(format!("{}: {}", reject.code, reject.message)),
    }
}

impl own::till::Guest for Market {
    fn open(bank: Principal, careful: bool) {
        BANK.set(bank.principal);
        CAREFUL.set(careful);
    }

    async fn take(amount: u64) -> Result<(), String> {
        LEFT.set(LEFT.get() + amount);
        if BUSY.get() {
            return Ok(()); // the task that deposits will take it
        }
        BUSY.set(true);
        let mut result = Ok(());
        while LEFT.get() > 0 && result.is_ok() {
            result = deposit(LEFT.replace(0), None).await;
            if !CAREFUL.get() {
                break; // what has come in since then waits for a task that does not come
            }
        }
        BUSY.set(false);
        result
    }

    async fn take_each(amounts: Vec<u64>) -> u32 {
        let results = futures::future::join_all(amounts.into_iter().map(|amount| deposit(amount, None))).await;
        results.into_iter().filter(Result::is_ok).count() as u32
    }

    async fn take_within(amount: u64, seconds: u32) -> Result<(), String> {
        deposit(amount, Some(seconds)).await
    }

    async fn drop_money(amount: u64) {
        _ = deposit(amount, None).await;
        LEFT.set(1_000_000);
        panic!();
    }
}

impl own::till_queries::Guest for Market {
    fn left() -> u64 {
        LEFT.get()
    }
}

impl own::bank::Guest for Market {
    fn deposit(amount: u64) {
        BALANCE.set(BALANCE.get() + amount);
    }
}

impl own::bank_queries::Guest for Market {
    fn balance() -> u64 {
        BALANCE.get()
    }
}

impl own::network::Guest for Market {
    fn who() -> (Principal, Principal) {
        (message::caller(), canister::self_())
    }

    fn accept(most: Cycles) -> Cycles {
        let before = canister::cycle_balance();
        let available = message::cycles_available();
        let accepted = message::cycles_accept(most);
        let after = canister::cycle_balance();
        assert!(available.low >= accepted.low && after.low == before.low + accepted.low);
        accepted
    }

    fn refuse(reason: String) {
        message::reject(&reason);
    }

    fn answer(bytes: Vec<u8>) -> u32 {
        message::reply(&bytes);
        7
    }

    fn remember(text: String) -> Option<u64> {
        let pages = stable_memory::grow(1);
        stable_memory::write(0, text.as_bytes());
        pages.map(|before| before + stable_memory::size())
    }

    fn recall(size: u32) -> String {
        String::from_utf8(stable_memory::read(0, size)).unwrap()
    }

    fn certify(bytes: Vec<u8>) {
        canister::set_certified_data(&bytes);
    }

    fn alarm(at: u64) -> u64 {
        canister::set_timer(canister::now() + at)
    }

    fn alarms() -> u32 {
        ALARMS.get()
    }

    fn started() -> String {
        STARTED.with_borrow(Clone::clone)
    }

    fn say(text: String) {
        canister::log(&text);
    }
}

impl own::network_queries::Guest for Market {
    fn certificate() -> Option<Vec<u8>> {
        canister::data_certificate()
    }
}

impl own::values::Guest for Market {
    fn echo(value: own::values::Everything) -> own::values::Everything {
        value
    }

    fn mix(a: u8, b: String, c: Option<f32>, d: own::values::Shape, e: i64, f: bool, g: f64, h: Vec<u16>, i: char) -> own::values::Shape {
        use own::values::Shape;
        match d {
            Shape::Nothing => Shape::Named(format!("{a} {b} {c:?} {e} {f} {g} {h:?} {i}")),
            other => other,
        }
    }

    async fn later(value: Option<own::values::Shape>) -> Option<own::values::Shape> {
        value
    }
}

impl exports::ic::canister::installation::Guest for Market {
    fn init(argument: Vec<u8>) {
        STARTED.set(format!("installed with {} bytes", argument.len()));
    }

    fn pre_upgrade() {
        stable_memory::grow(1);
        stable_memory::write(0, &LEFT.get().to_le_bytes());
    }

    fn post_upgrade(argument: Vec<u8>) {
        LEFT.set(u64::from_le_bytes(stable_memory::read(0, 8).try_into().unwrap()));
        STARTED.set(format!("upgraded with {} bytes", argument.len()));
    }
}

impl exports::ic::canister::timer_handler::Guest for Market {
    async fn fire() {
        ALARMS.set(ALARMS.get() + 1);
    }
}

export!(Market);
