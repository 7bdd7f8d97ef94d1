//! A bank that holds a lock during a payment. The guard of the lock releases it when it is dropped.

use candid::Principal;
use std::cell::{Cell, RefCell};

thread_local! {
    static LEDGER: RefCell<Principal> = RefCell::new(Principal::anonymous());
    static LOCKED: Cell<bool> = Cell::new(false);
}

#[link_section = "icp:public candid:service"]
pub static INTERFACE: [u8; include_bytes!("../../bank.did").len()] = *include_bytes!("../../bank.did");

struct Guard;

impl Guard {
    fn new() -> Guard {
        if LOCKED.with(|l| l.replace(true)) {
            ic_cdk::trap("a payment is being made")
        }
        Guard
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        LOCKED.with(|l| l.set(false));
    }
}

#[ic_cdk_macros::init]
fn init(ledger: Principal) {
    LEDGER.with(|l| *l.borrow_mut() = ledger);
}

#[ic_cdk_macros::update]
async fn withdraw(amount: u64) -> bool {
    let _guard = Guard::new();
    let ledger = LEDGER.with(|l| *l.borrow());
    let paid: Result<(u64,), _> = ic_cdk::call(ledger, "pay", (amount,)).await;
    paid.is_ok()
}
