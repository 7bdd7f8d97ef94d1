//! An account of 100. The bug: the result of call_perform is not looked at. Where the system does not take the call, as
//! with a full queue or without cycles, no callback ever runs: the money is off the account and was not paid.

#[path = "../shared/ic.rs"]
mod ic;

#[derive(Default)]
struct Account {
    ledger: ic::Principal,
    balance: u64,
}

state!(Account);
interface!("interface.did");

#[export_name = "canister_init"]
extern "C" fn init() {
    let (ledger,) = ic::argument();
    with(|a| {
        a.ledger = ledger;
        a.balance = 100;
    });
}

#[export_name = "canister_update withdraw"]
extern "C" fn withdraw() {
    let (amount,): (u64,) = ic::argument();
    let (ledger, balance) = with(|a| (a.ledger.clone(), a.balance));
    if balance < amount {
        return ic::reject("not enough money");
    }
    with(|a| a.balance -= amount);
    let paid = paid as extern "C" fn(usize) as usize;
    let rejected = rejected as extern "C" fn(usize) as usize;
    let _ = ic::call(&ledger, "pay", (amount,)).with_callbacks(paid, rejected, amount as usize);
}

extern "C" fn paid(amount: usize) {
    ic::reply((amount as u64,));
}

extern "C" fn rejected(amount: usize) {
    with(|a| a.balance += amount as u64);
    ic::reject("the ledger does not pay");
}

/// What left the account.
#[export_name = "canister_query withdrawn"]
extern "C" fn withdrawn() {
    ic::reply((with(|a| 100 - a.balance),));
}
