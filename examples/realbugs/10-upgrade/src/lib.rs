//! A bank that pays, and counts its payments.

use candid::Principal;
use ic_cdk::call::Call;
use std::cell::{Cell, RefCell};

thread_local! {
    static LEDGER: RefCell<Principal> = RefCell::new(Principal::anonymous());
    static PAYMENTS: Cell<u64> = Cell::new(0);
}

#[link_section = "icp:public candid:service"]
pub static INTERFACE: [u8; include_bytes!("../../bank.did").len()] = *include_bytes!("../../bank.did");

#[ic_cdk::init]
fn init(ledger: Principal) {
    LEDGER.with(|l| *l.borrow_mut() = ledger);
}

#[ic_cdk::pre_upgrade]
fn pre_upgrade() {
    let ledger = LEDGER.with(|l| *l.borrow());
    ic_cdk::storage::stable_save((ledger,)).unwrap();
}

#[ic_cdk::post_upgrade]
fn post_upgrade() {
    let (ledger,) = ic_cdk::storage::stable_restore().unwrap();
    init(ledger);
}

#[ic_cdk::update]
async fn withdraw(amount: u64) -> bool {
    let ledger = LEDGER.with(|l| *l.borrow());
    let paid = Call::unbounded_wait(ledger, "pay").with_arg(amount).await;
    PAYMENTS.with(|p| p.set(p.get() + 1));
    paid.is_ok()
}
