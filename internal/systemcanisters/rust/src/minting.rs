//! The interface between the cycles ledger and the cycles minting canister.

use candid::{CandidType, Nat, Principal};
use serde::Deserialize;

/// The cycles minting canister, rkp4c-7iaaa-aaaaa-aaaca-cai.
pub const MINTING: Principal = Principal::from_slice(&[0, 0, 0, 0, 0, 0, 0, 4, 1, 1]);
/// The ICP ledger, ryjl3-tyaaa-aaaaa-aaaba-cai.
pub const ICP_LEDGER: Principal = Principal::from_slice(&[0, 0, 0, 0, 0, 0, 0, 2, 1, 1]);
/// The governance canister, rrkah-fqaaa-aaaaa-aaaaq-cai, whose account mints ICP.
pub const GOVERNANCE: Principal = Principal::from_slice(&[0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
/// The cycles ledger, um5iw-rqaaa-aaaaq-qaaba-cai.
pub const CYCLES_LEDGER: Principal = Principal::from_slice(&[0, 0, 0, 0, 2, 16, 0, 2, 1, 1]);

#[derive(CandidType, Deserialize, Clone)]
pub struct EnvironmentVariable {
    pub name: String,
    pub value: String,
}

#[derive(CandidType, Deserialize, Clone)]
pub enum LogVisibility {
    #[serde(rename = "controllers")]
    Controllers,
    #[serde(rename = "public")]
    Public,
    #[serde(rename = "allowed_viewers")]
    AllowedViewers(Vec<Principal>),
}

/// Settings of the management canister.
#[derive(CandidType, Deserialize, Clone, Default)]
pub struct CanisterSettings {
    pub controllers: Option<Vec<Principal>>,
    pub compute_allocation: Option<Nat>,
    pub memory_allocation: Option<Nat>,
    pub freezing_threshold: Option<Nat>,
    pub reserved_cycles_limit: Option<Nat>,
    pub wasm_memory_limit: Option<Nat>,
    pub wasm_memory_threshold: Option<Nat>,
    pub log_memory_limit: Option<Nat>,
    pub log_visibility: Option<LogVisibility>,
    pub snapshot_visibility: Option<LogVisibility>,
    pub environment_variables: Option<Vec<EnvironmentVariable>>,
}

#[derive(CandidType, Deserialize, Clone)]
pub struct SubnetFilter {
    pub subnet_type: Option<String>,
}

#[derive(CandidType, Deserialize, Clone)]
pub enum SubnetSelection {
    Subnet { subnet: Principal },
    Filter(SubnetFilter),
}

/// The argument of `create_canister` of the cycles minting canister.
#[derive(CandidType, Deserialize, Clone, Default)]
pub struct CreateCanister {
    pub settings: Option<CanisterSettings>,
    pub subnet_selection: Option<SubnetSelection>,
    pub subnet_type: Option<String>,
}

#[derive(CandidType, Deserialize)]
pub enum CreateCanisterError {
    Refunded { refund_amount: u128, create_error: String },
    RefundFailed { create_error: String, refund_error: String },
}
