//! The trader without the bug: each answer goes to the place of its market.

#[path = "../shared/ic.rs"]
mod ic;

#[derive(Default)]
struct Trader {
    markets: Vec<ic::Principal>,
    prices: [Option<u64>; 2],
    spread: u64,
}

state!(Trader);
interface!("interface.did");

#[export_name = "canister_init"]
extern "C" fn init() {
    let (first, second) = ic::argument();
    with(|t| {
        t.markets = vec![first, second];
        t.spread = 2;
    });
}

#[export_name = "canister_update compare"]
extern "C" fn compare() {
    with(|t| t.prices = [None, None]);
    for (place, market) in with(|t| t.markets.clone()).into_iter().enumerate() {
        ic::spawn(async move {
            let price = match ic::call(&market, "price", ()).get::<(u64,)>().await {
                Ok((price,)) => price,
                Err(_) => return,
            };
            let prices = with(|t| {
                t.prices[place] = Some(price);
                t.prices
            });
            if let [Some(first), Some(second)] = prices {
                let spread = second.saturating_sub(first);
                with(|t| t.spread = spread);
                ic::reply((spread,));
            }
        });
    }
}

#[export_name = "canister_query spread"]
extern "C" fn spread() {
    ic::reply((with(|t| t.spread),));
}
