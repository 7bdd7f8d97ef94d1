//! A trader that asks two markets for a price at once, 10 and 12, and keeps the difference. The bug: it takes the first
//! answer that comes for the answer of the first market. Answers of two canisters come in any order.

#[path = "../shared/ic.rs"]
mod ic;

#[derive(Default)]
struct Trader {
    markets: Vec<ic::Principal>,
    prices: Vec<u64>,
    spread: u64,
    open: usize,
}

state!(Trader);
interface!("interface.did");

/// A price that has not come. In a cleanup callback, too, one less is left: the last callback answers.
struct Open;

impl Drop for Open {
    fn drop(&mut self) {
        with(|t| t.open -= 1);
    }
}

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
    let markets = with(|t| {
        t.prices.clear();
        t.open = t.markets.len();
        t.markets.clone()
    });
    for market in markets {
        ic::spawn(async move {
            let open = Open;
            if let Ok((price,)) = ic::call(&market, "price", ()).get::<(u64,)>().await {
                with(|t| t.prices.push(price));
            }
            drop(open);
            if with(|t| t.open) == 0 {
                answer();
            }
        });
    }
}

fn answer() {
    let prices = with(|t| t.prices.clone());
    if prices.len() < 2 {
        return ic::reject("a market gives no price");
    }
    let spread = prices[1].saturating_sub(prices[0]);
    with(|t| t.spread = spread);
    ic::reply((spread,));
}

#[export_name = "canister_query spread"]
extern "C" fn spread() {
    ic::reply((with(|t| t.spread),));
}
