//! A trader that asks two markets for a price at once, 10 and 12, and keeps the difference. The bug: it takes the first
//! answer that comes for the answer of the first market. Answers of two canisters come in any order.

#[path = "../shared/ic.rs"]
mod ic;

#[derive(Default)]
struct Trader {
    markets: Vec<ic::Principal>,
    prices: Vec<u64>,
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
    with(|t| t.prices.clear());
    for market in with(|t| t.markets.clone()) {
        ic::spawn(async move {
            let price = match ic::call(&market, "price", ()).get::<(u64,)>().await {
                Ok((price,)) => price,
                Err(_) => return,
            };
            let prices = with(|t| {
                t.prices.push(price);
                t.prices.clone()
            });
            if prices.len() == 2 {
                let spread = prices[1].saturating_sub(prices[0]);
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
