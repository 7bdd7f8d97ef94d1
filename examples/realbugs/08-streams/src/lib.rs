//! A bank that makes three payments at once, and holds a lock meanwhile.

use candid::Principal;
use futures::StreamExt;
use std::cell::{Cell, RefCell};

thread_local! {
    static LEDGER: RefCell<Principal> = RefCell::new(Principal::anonymous());
    static LOCKED: Cell<bool> = Cell::new(false);
}

#[link_section = "icp:public candid:service"]
pub static INTERFACE: [u8; include_bytes!("../../payday.did").len()] = *include_bytes!("../../payday.did");

struct Guard;

impl Guard {
    fn new() -> Guard {
        if LOCKED.with(|l| l.replace(true)) {
            ic_cdk::trap("payments are being made")
        }
        Guard
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        LOCKED.with(|l| l.set(false));
    }
}

#[ic_cdk::init]
fn init(ledger: Principal) {
    LEDGER.with(|l| *l.borrow_mut() = ledger);
}

async fn pay(amount: u64) -> bool {
    let ledger = LEDGER.with(|l| *l.borrow());
    let paid: Result<(u64,), _> = ic_cdk::call(ledger, "pay", (amount,)).await;
    paid.is_ok()
}

#[ic_cdk::update]
async fn payday() -> u64 {
    let _guard = Guard::new();
    let payments = futures::stream::iter([1, 2, 3].map(pay)).buffer_unordered(3);
    payments.filter(|paid| std::future::ready(*paid)).count().await as u64
}
