//! A bank that expects another reply than its ledger gives. A call that fails gives the amount back.

use candid::Principal;
use std::cell::{Cell, RefCell};

thread_local! {
    static LEDGER: RefCell<Principal> = RefCell::new(Principal::anonymous());
    static BALANCE: Cell<u64> = Cell::new(100);
}

#[link_section = "icp:public candid:service"]
pub static INTERFACE: [u8; include_bytes!("../../bank.did").len()] = *include_bytes!("../../bank.did");

#[ic_cdk_macros::init]
fn init(ledger: Principal) {
    LEDGER.with(|l| *l.borrow_mut() = ledger);
}

#[ic_cdk_macros::update]
async fn withdraw(amount: u64) -> bool {
    let balance = BALANCE.with(|b| b.get());
    if amount > balance {
        return false;
    }
    BALANCE.with(|b| b.set(balance - amount));
    let ledger = LEDGER.with(|l| *l.borrow());
    let paid: Result<(String,), _> = ic_cdk::call(ledger, "pay", (amount,)).await;
    if paid.is_err() {
        BALANCE.with(|b| b.set(b.get() + amount));
    }
    paid.is_ok()
}
