//! What the system canisters share: accounts, the book of a ledger, and the types of ICRC-1 and ICRC-2.

pub mod account;
pub mod book;
pub mod hash;
pub mod icrc;
pub mod minting;
