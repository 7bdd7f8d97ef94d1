//! The account without the bug: it refuses to be upgraded while a call is open. Stop it first, which waits for its calls, and
//! upgrade it then.

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

#[export_name = "canister_pre_upgrade"]
extern "C" fn before_upgrade() {
    if account::open() > 0 {
        ic::trap("calls are open: stop the canister, and upgrade it then");
    }
}
