//! The registry, as far as clients ask it: the subnets and the canister ids they host.

use std::cell::RefCell;

use candid::{CandidType, Principal};
use ic_cdk::storage::{stable_restore, stable_save};
use ic_cdk::{init, post_upgrade, pre_upgrade, query, trap, update};
use serde::Deserialize;
use systemcanisters::only_controllers;

const INTERFACE: &str = include_str!("../registry.did");

#[used]
#[unsafe(link_section = "icp:public candid:service")]
static SERVICE: [u8; INTERFACE.len()] = *include_bytes!("../registry.did");
systemcanisters::own_module!("registry");

#[derive(CandidType, Deserialize)]
struct Range {
    start: Principal,
    end: Principal,
    subnet: Principal,
}

#[derive(CandidType, Deserialize)]
struct InitArg {
    ranges: Vec<Range>,
}

thread_local! {
    static RANGES: RefCell<Vec<Range>> = const { RefCell::new(Vec::new()) };
}

#[init]
fn init(arg: InitArg) {
    RANGES.set(arg.ranges);
}

/// Learns the subnets that the network has now. The network calls it in the name of the controller.
#[update(guard = "only_controllers")]
fn set_subnets(arg: InitArg) {
    RANGES.set(arg.ranges);
}

#[pre_upgrade]
fn save() {
    RANGES.with_borrow(|ranges| stable_save((ranges,))).unwrap_or_else(|e| trap(e.to_string()));
}

#[post_upgrade]
fn restore() {
    let (ranges,) = stable_restore().unwrap_or_else(|e| trap(e));
    RANGES.set(ranges);
}

#[derive(CandidType, Deserialize)]
struct SubnetForCanister {
    principal: Option<Principal>,
}

#[derive(CandidType)]
struct Subnet {
    subnet_id: Option<Principal>,
}

#[query]
fn get_subnet_for_canister(arg: SubnetForCanister) -> Result<Subnet, String> {
    let canister = arg.principal.ok_or("The principal of the canister is missing")?;
    RANGES.with_borrow(|ranges| {
        let range = ranges.iter().find(|range| range.start <= canister && canister <= range.end);
        let range = range.ok_or(format!("The canister ID {canister} does not belong to any subnet."))?;
        Ok(Subnet { subnet_id: Some(range.subnet) })
    })
}

#[query]
fn get_build_metadata() -> String {
    concat!("name: registry\nversion: ", env!("CARGO_PKG_VERSION")).to_string()
}

fn main() {}
