//! The price without the bug: the call is a best-effort call, which is over after a minute at most.

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
        let (price,) = ic::call(&oracle, "price", ()).at_most(60).get::<(u64,)>().await.map_err(|_| "the oracle does not answer")?;
        with(|p| p.price = price);
        Ok((price,))
    });
}
