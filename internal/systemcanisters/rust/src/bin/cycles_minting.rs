//! The cycles minting canister: makes cycles of ICP, and canisters of cycles.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use candid::{CandidType, Nat, Principal};
use ic_cdk::api::{certified_data_set, data_certificate, msg_caller, msg_cycles_accept, msg_cycles_available};
use ic_cdk::call::{Call, CallFailed};
use ic_cdk::storage::{stable_restore, stable_save};
use ic_cdk::{init, post_upgrade, pre_upgrade, query, trap, update};
use serde::Deserialize;
use serde_bytes::ByteBuf;
use systemcanisters::account::{Account, Identifier, Subaccount};
use systemcanisters::hash::{rate_root, rate_tree};
use systemcanisters::only_controllers;
use systemcanisters::minting::{CYCLES_LEDGER, CanisterSettings, CreateCanister, CreateCanisterError, GOVERNANCE, ICP_LEDGER, MINTING, SubnetSelection};

const INTERFACE: &str = include_str!("../cycles_minting.did");

#[used]
#[unsafe(link_section = "icp:public candid:service")]
static SERVICE: [u8; INTERFACE.len()] = *include_bytes!("../cycles_minting.did");
systemcanisters::own_module!("cycles_minting");

const ICP_FEE: u64 = 10_000;
/// The ten-thousandths of an XDR, each 100,000,000 cycles, that one ICP is worth.
const RATE: u64 = 35_200;
/// What the canister keeps of cycles that create no canister, as on mainnet.
const BAD_REQUEST_PENALTY: u128 = 100_000_000;

// The memos that say what a payment is for.
const TOP_UP: u64 = 0x5055_5054;
const CREATE: u64 = 0x4145_5243;
const MINT: u64 = 0x544e_494d;

#[link(wasm_import_module = "ic0")]
unsafe extern "C" {
    fn mint_cycles128(high: i64, low: i64, minted: *mut u128);
}

/// Makes cycles; the balance of this canister has them.
fn mint(cycles: u128) -> u128 {
    let mut minted = 0;
    unsafe { mint_cycles128((cycles >> 64) as i64, cycles as i64, &mut minted) };
    minted
}

#[derive(CandidType, Deserialize)]
struct InitArg {
    default_subnets: Vec<Principal>,
    subnet_types: Vec<(String, Vec<Principal>)>,
    authorized_subnets: Vec<Principal>,
}

#[derive(CandidType, Deserialize, Clone)]
enum Outcome {
    ToppedUp(Nat),
    Created(Principal),
    Minted(MintSuccess),
    Failed(NotifyError),
}

#[derive(CandidType, Deserialize, Default)]
struct State {
    defaults: Vec<Principal>,
    types: Vec<(String, Vec<Principal>)>,
    authorized: BTreeSet<Principal>,
    next: u64,
    processing: BTreeSet<u64>,
    done: BTreeMap<u64, Outcome>,
    total_minted: u128,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

fn state<R>(f: impl FnOnce(&mut State) -> R) -> R {
    STATE.with_borrow_mut(f)
}

/// Learns the subnets that the network has now. The network calls it in the name of the controller.
#[update(guard = "only_controllers")]
fn set_subnets(arg: InitArg) {
    state(|s| {
        s.authorized = arg.authorized_subnets.into_iter().chain(arg.default_subnets.iter().copied()).collect();
        s.defaults = arg.default_subnets;
        s.types = arg.subnet_types;
    });
}

#[init]
fn init(arg: InitArg) {
    set_subnets(arg);
    certified_data_set(rate_root(&encoded_rate()));
}

#[pre_upgrade]
fn save() {
    state(|s| stable_save((&*s,))).unwrap_or_else(|e| trap(e.to_string()));
}

#[post_upgrade]
fn restore() {
    let (saved,) = stable_restore().unwrap_or_else(|e| trap(e));
    STATE.set(saved);
    certified_data_set(rate_root(&encoded_rate()));
}

#[derive(CandidType, Clone)]
struct Rate {
    xdr_permyriad_per_icp: u64,
    timestamp_seconds: u64,
}

/// The rate never changes, so its time is a fixed one: the first of the network's times that PocketIC has as well.
fn rate() -> Rate {
    Rate { xdr_permyriad_per_icp: RATE, timestamp_seconds: 1_620_633_600 }
}

fn encoded_rate() -> Vec<u8> {
    candid::encode_one(rate()).unwrap_or_default()
}

#[derive(CandidType)]
struct CertifiedRate {
    data: Rate,
    hash_tree: ByteBuf,
    certificate: ByteBuf,
}

fn certified() -> CertifiedRate {
    CertifiedRate {
        data: rate(), hash_tree: ByteBuf::from(rate_tree(&encoded_rate())), certificate: ByteBuf::from(data_certificate().unwrap_or_default()),
    }
}

#[query]
fn get_icp_xdr_conversion_rate() -> CertifiedRate {
    certified()
}

#[query]
fn get_average_icp_xdr_conversion_rate() -> CertifiedRate {
    certified()
}

#[query]
fn get_default_subnets() -> Vec<Principal> {
    state(|s| s.defaults.clone())
}

#[derive(CandidType)]
struct SubnetTypes {
    data: Vec<(String, Vec<Principal>)>,
}

#[query]
fn get_subnet_types_to_subnets() -> SubnetTypes {
    SubnetTypes { data: state(|s| s.types.clone()) }
}

#[query]
fn total_cycles_minted() -> u64 {
    state(|s| s.total_minted as u64)
}

/// The subnet for a new canister: the given one, or one of those in turn that the filter leaves.
fn choose(selection: Option<&SubnetSelection>, subnet_type: Option<&String>) -> Result<Principal, String> {
    state(|s| {
        let wanted = match selection {
            Some(SubnetSelection::Subnet { subnet }) => {
                let known = s.authorized.contains(subnet) || s.types.iter().any(|(_, subnets)| subnets.contains(subnet));
                return if known { Ok(*subnet) } else { Err(format!("Subnet {subnet} does not exist or {} is not authorized to deploy to that subnet.", msg_caller())) };
            }
            Some(SubnetSelection::Filter(filter)) => filter.subnet_type.as_ref(),
            None => subnet_type,
        };
        let subnets = match wanted {
            None => &s.defaults,
            Some(name) => match s.types.iter().find(|(known, _)| known == name) {
                Some((_, subnets)) => subnets,
                None => return Err(format!("Provided subnet type {name} does not exist")),
            },
        };
        if subnets.is_empty() {
            return Err("No subnets in the network were found".to_string());
        }
        s.next += 1;
        Ok(subnets[(s.next - 1) as usize % subnets.len()])
    })
}

#[derive(CandidType)]
struct CreateOnSubnet {
    settings: Option<CanisterSettings>,
}

#[derive(CandidType, Deserialize)]
struct CanisterRecord {
    canister_id: Principal,
}

/// Creates a canister with cycles of this canister.
async fn create_on(subnet: Principal, settings: CanisterSettings, cycles: u128) -> Result<Principal, String> {
    let arg = CreateOnSubnet { settings: Some(settings) };
    let reply = Call::unbounded_wait(subnet, "create_canister").with_arg(arg).with_cycles(cycles).await.map_err(|failed| reason(&failed))?;
    reply.candid::<CanisterRecord>().map(|made| made.canister_id).map_err(|e| e.to_string())
}

fn reason(failed: &CallFailed) -> String {
    match failed {
        CallFailed::CallRejected(rejected) => rejected.reject_message().to_string(),
        other => other.to_string(),
    }
}

#[update]
async fn create_canister(arg: CreateCanister) -> Result<Principal, CreateCanisterError> {
    let cycles = msg_cycles_available();
    let owner = msg_caller();
    let subnet = match choose(arg.subnet_selection.as_ref(), arg.subnet_type.as_ref()) {
        Ok(subnet) => subnet,
        Err(create_error) => {
            let kept = msg_cycles_accept(BAD_REQUEST_PENALTY.min(cycles));
            return Err(CreateCanisterError::Refunded { refund_amount: cycles - kept, create_error });
        }
    };
    let mut settings = arg.settings.unwrap_or_default();
    settings.controllers.get_or_insert_with(|| vec![owner]);
    // Made here and taken from the caller when there is a canister for them, so that a refund needs no call.
    if mint(cycles) < cycles {
        return Err(CreateCanisterError::Refunded { refund_amount: cycles, create_error: "the cycles cannot be made".to_string() });
    }
    match create_on(subnet, settings, cycles).await {
        Ok(canister) => {
            ic_cdk::api::cycles_burn(msg_cycles_accept(cycles));
            Ok(canister)
        }
        Err(create_error) => {
            ic_cdk::api::cycles_burn(cycles);
            let kept = msg_cycles_accept(BAD_REQUEST_PENALTY.min(cycles));
            Err(CreateCanisterError::Refunded { refund_amount: cycles - kept, create_error })
        }
    }
}

#[derive(CandidType, Deserialize, Clone)]
#[allow(dead_code)] // the interface has more cases than happen here
enum NotifyError {
    Refunded { reason: String, block_index: Option<u64> },
    Processing,
    TransactionTooOld(u64),
    InvalidTransaction(String),
    Other { error_code: u64, error_message: String },
}

fn other(error_message: String) -> NotifyError {
    NotifyError::Other { error_code: 2, error_message }
}

#[derive(CandidType, Deserialize, Clone, Copy)]
struct Tokens {
    e8s: u64,
}

#[derive(Deserialize, CandidType)]
enum LedgerOperation {
    Mint {},
    Burn {},
    Transfer { from: ByteBuf, to: ByteBuf, amount: Tokens },
    Approve {},
}

#[derive(Deserialize, CandidType)]
struct LedgerTransaction {
    memo: u64,
    icrc1_memo: Option<ByteBuf>,
    operation: Option<LedgerOperation>,
}

#[derive(Deserialize, CandidType)]
struct LedgerBlock {
    transaction: LedgerTransaction,
}

#[derive(Deserialize, CandidType)]
struct LedgerBlocks {
    blocks: Vec<LedgerBlock>,
}

#[derive(CandidType)]
struct GetBlocks {
    start: u64,
    length: u64,
}

/// A payment to an account of this canister.
struct Payment {
    from: Identifier,
    e8s: u64,
}

/// The payment of a block of the ICP ledger, if it has the memo and went to the subaccount.
async fn payment(index: u64, memo: u64, subaccount: Subaccount) -> Result<Payment, NotifyError> {
    let reply = Call::unbounded_wait(ICP_LEDGER, "query_blocks").with_arg(GetBlocks { start: index, length: 1 }).await.map_err(|e| other(reason(&e)))?;
    let read = reply.candid::<LedgerBlocks>().map_err(|e| other(e.to_string()))?;
    let invalid = |text: String| Err(NotifyError::InvalidTransaction(text));
    let Some(block) = read.blocks.into_iter().next() else { return Err(other(format!("Block {index} not found"))) };
    let LedgerTransaction { memo: number, icrc1_memo, operation } = block.transaction;
    let noted = icrc1_memo.filter(|note| note.len() == 8).map(|note| u64::from_le_bytes(note[..].try_into().unwrap_or_default()));
    let given = if number == 0 { noted.unwrap_or(0) } else { number };
    if given != memo {
        return invalid(format!("The memo {given:#x} of the transaction is not the expected {memo:#x}."));
    }
    let Some(LedgerOperation::Transfer { from, to, amount }) = operation else { return invalid("Notification transaction must be of type transfer".to_string()) };
    let expected = Identifier::of(MINTING, subaccount);
    if Identifier::read(&to) != Ok(expected) {
        return invalid("The destination of the transfer is not the account of the cycles minting canister for this request.".to_string());
    }
    Ok(Payment { from: Identifier::read(&from).map_err(NotifyError::InvalidTransaction)?, e8s: amount.e8s })
}

#[derive(CandidType)]
struct Transfer {
    memo: u64,
    amount: Tokens,
    fee: Tokens,
    from_subaccount: Option<ByteBuf>,
    to: ByteBuf,
}

#[derive(CandidType, Deserialize)]
enum TransferError {
    BadFee {},
    InsufficientFunds {},
    TxTooOld {},
    TxCreatedInFuture,
    TxDuplicate {},
}

async fn transfer(subaccount: Subaccount, to: Identifier, e8s: u64, fee: u64) -> Result<u64, String> {
    let arg = Transfer {
        memo: 0, amount: Tokens { e8s }, fee: Tokens { e8s: fee }, from_subaccount: Some(ByteBuf::from(subaccount.to_vec())), to: ByteBuf::from(to.0.to_vec()),
    };
    let reply = Call::unbounded_wait(ICP_LEDGER, "transfer").with_arg(arg).await.map_err(|e| reason(&e))?;
    match reply.candid::<Result<u64, TransferError>>() {
        Ok(Ok(index)) => Ok(index),
        Ok(Err(_)) => Err("the ICP ledger refused the transfer".to_string()),
        Err(e) => Err(e.to_string()),
    }
}

/// Burns a payment that was used, or gives it back without two fees.
async fn settle(subaccount: Subaccount, payment: &Payment, outcome: Outcome) -> Outcome {
    if !matches!(outcome, Outcome::Failed(NotifyError::Refunded { .. })) {
        if payment.e8s >= ICP_FEE {
            let _ = transfer(subaccount, Identifier::of(GOVERNANCE, [0; 32]), payment.e8s, 0).await; // the payment stays where it is
        }
        return outcome;
    }
    let Outcome::Failed(NotifyError::Refunded { reason, .. }) = outcome else { return outcome };
    let block_index = match payment.e8s.checked_sub(2 * ICP_FEE) {
        Some(rest) if rest > 0 => transfer(subaccount, payment.from, rest, ICP_FEE).await.ok(),
        _ => None,
    };
    Outcome::Failed(NotifyError::Refunded { reason, block_index })
}

fn refunded(reason: String) -> Outcome {
    Outcome::Failed(NotifyError::Refunded { reason, block_index: None })
}

/// Processes a payment once: later requests get the outcome of the first.
async fn once(index: u64, memo: u64, subaccount: Subaccount, process: impl AsyncFnOnce(u128) -> Outcome) -> Outcome {
    if let Some(outcome) = state(|s| s.done.get(&index).cloned()) {
        return outcome;
    }
    if !state(|s| s.processing.insert(index)) {
        return Outcome::Failed(NotifyError::Processing);
    }
    let outcome = match payment(index, memo, subaccount).await {
        Err(error) => Outcome::Failed(error),
        Ok(payment) => {
            let cycles = u128::from(payment.e8s) * u128::from(RATE);
            let outcome = process(cycles).await;
            let outcome = settle(subaccount, &payment, outcome).await;
            state(|s| s.done.insert(index, outcome.clone()));
            outcome
        }
    };
    state(|s| s.processing.remove(&index));
    outcome
}

/// Makes the cycles of a payment.
fn mint_paid(cycles: u128) -> u128 {
    let minted = mint(cycles);
    state(|s| s.total_minted += minted);
    minted
}

/// The subaccount whose payments are for a principal.
fn subaccount_of(principal: Principal) -> Subaccount {
    let mut subaccount = [0; 32];
    let bytes = principal.as_slice();
    subaccount[0] = bytes.len() as u8;
    subaccount[1..=bytes.len()].copy_from_slice(bytes);
    subaccount
}

fn mismatch() -> NotifyError {
    NotifyError::InvalidTransaction("The same payment is already processed as another kind of request.".to_string())
}

#[derive(CandidType, Deserialize)]
struct TopUpArg {
    block_index: u64,
    canister_id: Principal,
}

#[update]
async fn notify_top_up(arg: TopUpArg) -> Result<Nat, NotifyError> {
    let top_up = async |cycles| {
        let cycles = mint_paid(cycles);
        let call = Call::unbounded_wait(Principal::management_canister(), "deposit_cycles").with_arg(CanisterRecord { canister_id: arg.canister_id });
        match call.with_cycles(cycles).await {
            Ok(_) => Outcome::ToppedUp(cycles.into()),
            Err(failed) => {
                ic_cdk::api::cycles_burn(cycles);
                refunded(reason(&failed))
            }
        }
    };
    match once(arg.block_index, TOP_UP, subaccount_of(arg.canister_id), top_up).await {
        Outcome::ToppedUp(cycles) => Ok(cycles),
        Outcome::Failed(error) => Err(error),
        _ => Err(mismatch()),
    }
}

#[derive(CandidType, Deserialize)]
struct NotifyCreateArg {
    block_index: u64,
    controller: Principal,
    subnet_type: Option<String>,
    subnet_selection: Option<SubnetSelection>,
    settings: Option<CanisterSettings>,
}

#[update]
async fn notify_create_canister(arg: NotifyCreateArg) -> Result<Principal, NotifyError> {
    let caller = msg_caller();
    if caller != arg.controller && !arg.settings.as_ref().is_some_and(|s| s.controllers.is_some()) {
        return Err(other(format!("Notification must be sent by the controller of the new canister, {}, not by {caller}.", arg.controller)));
    }
    let mut settings = arg.settings.unwrap_or_default();
    settings.controllers.get_or_insert_with(|| vec![arg.controller]);
    let create = async |cycles| match choose(arg.subnet_selection.as_ref(), arg.subnet_type.as_ref()) {
        Err(reason) => refunded(reason),
        Ok(subnet) => {
            let cycles = mint_paid(cycles);
            match create_on(subnet, settings, cycles).await {
                Ok(canister) => Outcome::Created(canister),
                Err(reason) => {
                    ic_cdk::api::cycles_burn(cycles);
                    refunded(reason)
                }
            }
        }
    };
    match once(arg.block_index, CREATE, subaccount_of(arg.controller), create).await {
        Outcome::Created(canister) => Ok(canister),
        Outcome::Failed(error) => Err(error),
        _ => Err(mismatch()),
    }
}

#[derive(CandidType, Deserialize)]
struct MintArg {
    block_index: u64,
    to_subaccount: Option<Vec<u8>>,
    deposit_memo: Option<ByteBuf>,
}

#[derive(CandidType, Deserialize, Clone)]
struct MintSuccess {
    block_index: Nat,
    minted: Nat,
    balance: Nat,
}

#[derive(CandidType)]
struct Deposit {
    to: Account,
    memo: Option<ByteBuf>,
}

#[derive(CandidType, Deserialize)]
struct Deposited {
    balance: Nat,
    block_index: Nat,
}

#[update]
async fn notify_mint_cycles(arg: MintArg) -> Result<MintSuccess, NotifyError> {
    let caller = msg_caller();
    let deposit = Deposit { to: Account::of(caller, arg.to_subaccount), memo: arg.deposit_memo };
    let mint_to = async |cycles| {
        let cycles = mint_paid(cycles);
        let call = Call::unbounded_wait(CYCLES_LEDGER, "deposit").with_arg(deposit).with_cycles(cycles);
        let failed = match call.await {
            Ok(reply) => match reply.candid::<Deposited>() {
                Ok(made) => return Outcome::Minted(MintSuccess { block_index: made.block_index, minted: cycles.into(), balance: made.balance }),
                Err(failed) => failed.to_string(),
            },
            Err(failed) => reason(&failed),
        };
        ic_cdk::api::cycles_burn(cycles);
        refunded(failed)
    };
    match once(arg.block_index, MINT, subaccount_of(caller), mint_to).await {
        Outcome::Minted(success) => Ok(success),
        Outcome::Failed(error) => Err(error),
        _ => Err(mismatch()),
    }
}

fn main() {}
