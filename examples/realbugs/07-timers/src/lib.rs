//! A countdown: a recurring timer that cancels itself at zero.

use ic_cdk::timer::{clear_timer, set_timer_interval, TimerId};
use std::{cell::Cell, time::Duration};

thread_local! {
    static TIMER: Cell<Option<TimerId>> = Cell::new(None);
    static LEFT: Cell<u64> = Cell::new(0);
}

#[link_section = "icp:public candid:service"]
pub static INTERFACE: [u8; include_bytes!("../../countdown.did").len()] = *include_bytes!("../../countdown.did");

fn tick() {
    let left = LEFT.with(|l| l.replace(l.get().saturating_sub(1)));
    if left <= 1 {
        if let Some(id) = TIMER.with(|t| t.take()) {
            clear_timer(id);
        }
    }
}

#[ic_cdk_macros::update]
fn start() {
    LEFT.with(|l| l.set(2));
    if TIMER.with(|t| t.get()).is_none() {
        let id = set_timer_interval(Duration::from_secs(60), tick);
        TIMER.with(|t| t.set(Some(id)));
    }
}

#[ic_cdk_macros::query]
fn left() -> u64 {
    LEFT.with(|l| l.get())
}
