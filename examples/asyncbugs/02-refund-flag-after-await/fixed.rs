//! The order without the bug: the flag is set before the await, and reset where the ledger rejects the call.

#[path = "../shared/ic.rs"]
mod ic;

#[derive(Default)]
struct Order {
    ledger: ic::Principal,
    refunded: bool,
}

state!(Order);
interface!("interface.did");

#[export_name = "canister_init"]
extern "C" fn init() {
    let (ledger,) = ic::argument();
    with(|o| o.ledger = ledger);
}

#[export_name = "canister_update refund"]
extern "C" fn refund() {
    ic::update(|()| async {
        let (ledger, refunded) = with(|o| (o.ledger.clone(), std::mem::replace(&mut o.refunded, true)));
        if refunded {
            return Err("the order was refunded before");
        }
        match ic::call(&ledger, "pay", (100u64,)).get::<(u64,)>().await {
            Ok((payment,)) => Ok((payment,)),
            Err(_) => {
                with(|o| o.refunded = false);
                Err("the ledger does not pay")
            }
        }
    });
}
