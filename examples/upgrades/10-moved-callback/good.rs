//! A payment can also be verified. The functions for it come last, so the callbacks of payments keep their places in the
//! table.

#[path = "../../asyncbugs/shared/ic.rs"]
mod ic;
#[path = "../shared/payments.rs"]
mod payments;

interface!("next.did");

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

#[export_name = "canister_update verify"]
extern "C" fn verify() {
    payments::ask(verified, rejected);
}

extern "C" fn verified(_: usize) {
    payments::end(0);
}
