//! The next module of the account: it can take money as well. Its functions are at other places of the table.

#[path = "../shared/ic.rs"]
mod ic;
#[path = "account.rs"]
mod account;

interface!("next.did");

#[export_name = "canister_update deposit"]
extern "C" fn deposit() {
    account::collect(collected as extern "C" fn(usize) as usize, rejected as extern "C" fn(usize) as usize);
}

#[export_name = "canister_update withdraw"]
extern "C" fn withdraw() {
    account::begin(paid as extern "C" fn(usize) as usize, rejected as extern "C" fn(usize) as usize);
}

extern "C" fn collected(amount: usize) {
    account::end(amount as u64);
}

extern "C" fn paid(_amount: usize) {
    account::end(0);
}

extern "C" fn rejected(amount: usize) {
    account::end(amount as u64);
}
