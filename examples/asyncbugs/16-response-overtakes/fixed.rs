//! The trader without the bug: each answer goes to the place of its market.

#[path = "../shared/ic.rs"]
mod ic;

#[derive(Default)]
struct Trader {
    markets: Vec<ic::Principal>,
    prices: [Option<u64>; 2],
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
        t.prices = [None, None];
        t.open = t.markets.len();
        t.markets.clone()
    });
    for (place, market) in markets.into_iter().enumerate() {
        ic::spawn(async move {
            let open = Open;
            if let Ok((price,)) = ic::call(&market, "price", ()).get::<(u64,)>().await {
                with(|t| t.prices[place] = Some(price));
            }
            drop(open);
            if with(|t| t.open) == 0 {
                answer();
            }
        });
    }
}

fn answer() {
    match with(|t| t.prices) {
        [Some(first), Some(second)] => {
            let spread = second.saturating_sub(first);
            with(|t| t.spread = spread);
            ic::reply((spread,));
        }
        _ => ic::reject("a market gives no price"),
    }
}

#[export_name = "canister_query spread"]
extern "C" fn spread() {
    ic::reply((with(|t| t.spread),));
}
