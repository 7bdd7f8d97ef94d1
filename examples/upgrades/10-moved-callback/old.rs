//! A payment is added to the total in the callback of a call, which is a place in the table of functions of the module.

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
