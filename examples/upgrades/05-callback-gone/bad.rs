//! A payment needs no confirmation any more, so the module has no callbacks: a call that was open at the upgrade ends in a
//! trap.

#[path = "../../asyncbugs/shared/ic.rs"]
mod ic;
#[path = "../shared/payments.rs"]
mod payments;

interface!("interface.did");

#[export_name = "canister_update pay"]
extern "C" fn pay() {
    payments::end(100);
}
