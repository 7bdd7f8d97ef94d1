//! The next version keeps its 32-bit addresses (wasm32), because calls may be open. Its new method comes last.

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

#[export_name = "canister_query count"]
extern "C" fn count() {
    ic::reply((payments::get() / 100,));
}
