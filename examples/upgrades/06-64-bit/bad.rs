//! The same program, compiled for 64-bit addresses (wasm64): callbacks of calls that were open at the upgrade refer to the
//! old heap.

#[path = "../../asyncbugs/shared/ic.rs"]
mod ic;
#[path = "../shared/payments.rs"]
mod payments;

interface!("interface.did");

#[export_name = "canister_update pay"]
extern "C" fn pay() {
    payments::ask(paid, rejected);
}

extern "C" fn paid(_: usize) {
    payments::end(100);
}

extern "C" fn rejected(_: usize) {
    payments::end(0);
}
