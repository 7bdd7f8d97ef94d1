//! Keeps the money of the bank, and pays what the bank asks for.

use std::cell::Cell;

use candid::Principal;
use ic_cdk::{post_upgrade, pre_upgrade, query, storage, trap, update};

/// The interface is a part of the module: canisterd reads arguments and replies with it.
#[cfg(target_arch = "wasm32")]
#[used]
#[unsafe(link_section = "icp:public candid:service")]
static INTERFACE: [u8; include_bytes!("../vault.did").len()] = *include_bytes!("../vault.did");

thread_local! {
    static MONEY: Cell<u64> = const { Cell::new(1_000) };
    static PAID: Cell<u64> = const { Cell::new(0) };
}

#[update]
fn transfer(_to: Principal, amount: u64) {
    let money = MONEY.get();
    if amount > money {
        trap("the vault does not have so much");
    }
    MONEY.set(money - amount);
    PAID.set(PAID.get() + amount);
}

#[query]
fn paid_out() -> u64 {
    PAID.get()
}

#[pre_upgrade]
fn save() {
    storage::stable_save((MONEY.get(), PAID.get())).expect("the state fits into stable memory");
}

#[post_upgrade]
fn restore() {
    let (money, paid) = storage::stable_restore().expect("the state is in stable memory");
    MONEY.set(money);
    PAID.set(paid);
}
