//! A payment can also be verified. The functions for it come first, so each callback has another place in the table: the
//! reply to a payment that was open at the upgrade is handled as that to a verification.

#[path = "../../asyncbugs/shared/ic.rs"]
mod ic;
#[path = "../shared/payments.rs"]
mod payments;

interface!("next.did");

#[export_name = "canister_update verify"]
extern "C" fn verify() {
    payments::ask(verified, rejected);
}

extern "C" fn verified(_: usize) {
    payments::end(0);
}

extern "C" fn rejected(_: usize) {
    payments::end(0);
}

#[export_name = "canister_update pay"]
extern "C" fn pay() {
    payments::ask(paid, rejected);
}

extern "C" fn paid(_: usize) {
    payments::end(100);
}
