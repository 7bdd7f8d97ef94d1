//! A shop that asks two ledgers, and takes the first answer. The other call is canceled.

use candid::Principal;
use ic_cdk::call::Call;
use std::cell::{Cell, RefCell};

thread_local! {
    static LEDGERS: RefCell<Vec<Principal>> = RefCell::new(Vec::new());
    static BUSY: Cell<bool> = Cell::new(false);
}

#[link_section = "icp:public candid:service"]
pub static INTERFACE: [u8; include_bytes!("../../shop.did").len()] = *include_bytes!("../../shop.did");

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        BUSY.with(|b| b.set(false));
    }
}

#[ic_cdk::init]
fn init(ledger: Principal, second: Principal) {
    LEDGERS.with(|l| *l.borrow_mut() = vec![ledger, second]);
}

async fn price(ledger: Principal) -> u64 {
    match Call::unbounded_wait(ledger, "price").await {
        Ok(reply) => reply.candid::<u64>().unwrap_or(0),
        Err(_) => 0,
    }
}

#[ic_cdk::update]
async fn quote() -> u64 {
    if BUSY.with(|b| b.replace(true)) {
        ic_cdk::trap("a quote is being made")
    }
    let _guard = Guard;
    let (ledger, second) = LEDGERS.with(|l| (l.borrow()[0], l.borrow()[1]));
    let first = futures::future::select(Box::pin(price(ledger)), Box::pin(price(second))).await;
    match first {
        futures::future::Either::Left((price, _)) => price,
        futures::future::Either::Right((price, _)) => price,
    }
}
