//! A payment needs no confirmation any more, but the callbacks keep their places in the table for calls that are open.

#[path = "../../asyncbugs/shared/ic.rs"]
mod ic;
#[path = "../shared/payments.rs"]
mod payments;

interface!("interface.did");

#[export_name = "canister_update pay"]
extern "C" fn pay() {
    payments::end(100);
}

#[export_name = "canister_update pay_confirmed"]
extern "C" fn pay_confirmed() {
    payments::ask(paid, rejected);
}

extern "C" fn paid(_: usize) {
    payments::end(100);
}

extern "C" fn rejected(_: usize) {
    payments::end(0);
}
