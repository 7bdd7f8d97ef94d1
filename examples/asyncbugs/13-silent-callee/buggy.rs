//! A price that is fetched from a canister of somebody else. The bug: the call has a guaranteed response, so it is open
//! as long as the other one likes. A canister with an open call cannot be stopped, and not be upgraded safely.

#[path = "../shared/ic.rs"]
mod ic;

#[derive(Default)]
struct Prices {
    oracle: ic::Principal,
    price: u64,
}

state!(Prices);
interface!("interface.did");

#[export_name = "canister_init"]
extern "C" fn init() {
    let (oracle,) = ic::argument();
    with(|p| p.oracle = oracle);
}

#[export_name = "canister_update refresh"]
extern "C" fn refresh() {
    ic::update(|()| async {
        let oracle = with(|p| p.oracle.clone());
        let (price,) = ic::call(&oracle, "price", ()).get::<(u64,)>().await.map_err(|_| "the oracle does not answer")?;
        with(|p| p.price = price);
        Ok((price,))
    });
}
