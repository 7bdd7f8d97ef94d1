//! An order of 100 that is refunded once. The bug: the flag that says so is set after the await, so a second refund
//! that comes in meanwhile does not see it.

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
        let (ledger, refunded) = with(|o| (o.ledger.clone(), o.refunded));
        if refunded {
            return Err("the order was refunded before");
        }
        let (payment,) = ic::call(&ledger, "pay", (100u64,)).get::<(u64,)>().await.map_err(|_| "the ledger does not pay")?;
        with(|o| o.refunded = true);
        Ok((payment,))
    });
}
