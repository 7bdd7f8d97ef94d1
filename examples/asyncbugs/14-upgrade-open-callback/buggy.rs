//! An account of 100, in stable memory. A callback is a number: its place in the table of functions of the module. The
//! bug: the canister lets itself be upgraded while a call is open. In the next module (next.rs) that number is another
//! function, and the reply to a payment runs the code for a payment that was rejected.

#[path = "../shared/ic.rs"]
mod ic;
#[path = "account.rs"]
mod account;

interface!("interface.did");

#[export_name = "canister_update withdraw"]
extern "C" fn withdraw() {
    account::begin(paid as extern "C" fn(usize) as usize, rejected as extern "C" fn(usize) as usize);
}

extern "C" fn paid(_amount: usize) {
    account::end(0);
}

extern "C" fn rejected(amount: usize) {
    account::end(amount as u64);
}
