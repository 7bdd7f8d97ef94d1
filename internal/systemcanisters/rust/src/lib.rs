//! What the system canisters share: accounts, the book of a ledger, and the types of ICRC-1 and ICRC-2.

pub mod account;
pub mod book;
pub mod hash;
pub mod icrc;
pub mod minting;

/// Refuses callers that are no controllers: a guard of methods.
pub fn only_controllers() -> Result<(), String> {
    let caller = ic_cdk::api::msg_caller();
    if ic_cdk::api::is_controller(&caller) { Ok(()) } else { Err(format!("{caller} is no controller of this canister")) }
}
