//! An account for everyone. The money is in the vault, another canister.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use candid::Principal;
use ic_cdk::api::msg_caller;
use ic_cdk::call::Call;
use ic_cdk::{init, post_upgrade, pre_upgrade, query, storage, update};

/// The interface is a part of the module: canisterd reads arguments and replies with it.
#[cfg(target_arch = "wasm32")]
#[used]
#[unsafe(link_section = "icp:public candid:service")]
static INTERFACE: [u8; include_bytes!("../bank.did").len()] = *include_bytes!("../bank.did");

thread_local! {
    static VAULT: Cell<Principal> = const { Cell::new(Principal::anonymous()) };
    static ACCOUNTS: RefCell<BTreeMap<Principal, u64>> = const { RefCell::new(BTreeMap::new()) };
}

fn balance_of(who: Principal) -> u64 {
    ACCOUNTS.with_borrow(|accounts| accounts.get(&who).copied().unwrap_or(0))
}

fn set(who: Principal, balance: u64) {
    ACCOUNTS.with_borrow_mut(|accounts| accounts.insert(who, balance));
}

#[init]
fn init(vault: Principal) {
    VAULT.set(vault);
}

#[update]
fn deposit(amount: u64) -> u64 {
    let caller = msg_caller();
    set(caller, balance_of(caller) + amount);
    balance_of(caller)
}

/// The account changes before the await: while the bank waits for the vault, it takes other messages. Move the line of set
/// after the await, and canisterd explore finds two withdrawals of the same money.
#[update]
async fn withdraw(amount: u64) -> Result<u64, String> {
    let caller = msg_caller();
    let balance = balance_of(caller);
    if balance < amount {
        return Err("not enough money".to_string());
    }
    set(caller, balance - amount);
    if Call::unbounded_wait(VAULT.get(), "transfer").with_args(&(caller, amount)).await.is_err() {
        set(caller, balance_of(caller) + amount);
        return Err("the vault does not pay".to_string());
    }
    Ok(balance_of(caller))
}

#[query]
fn balance() -> u64 {
    balance_of(msg_caller())
}

#[pre_upgrade]
fn save() {
    storage::stable_save((ACCOUNTS.with_borrow(Clone::clone),)).expect("the state fits into stable memory");
}

#[post_upgrade]
fn restore(vault: Principal) {
    let (accounts,) = storage::stable_restore().expect("the state is in stable memory");
    ACCOUNTS.set(accounts);
    VAULT.set(vault);
}
