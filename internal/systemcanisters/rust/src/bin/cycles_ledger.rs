//! The cycles ledger: cycles as a token of ICRC-1 and ICRC-2, and what turns them into cycles of canisters.
//! The cycles of all accounts are in this canister's own balance.

use std::cell::RefCell;
use std::collections::BTreeMap;

use candid::{CandidType, Nat, Principal};
use ic_cdk::api::{canister_self, certified_data_set, data_certificate, msg_caller, msg_cycles_accept, msg_cycles_available, time};
use ic_cdk::call::{Call, CallFailed, Error as CallError};
use ic_cdk::storage::{stable_restore, stable_save};
use ic_cdk::{init, post_upgrade, pre_upgrade, query, trap, update};
use serde::Deserialize;
use serde_bytes::ByteBuf;
use systemcanisters::account::{Account, Subaccount};
use systemcanisters::book::{Allowance, Block, Book, Fault, Operation, Transaction};
use systemcanisters::hash::{leb128, sha256, tip_root, tip_tree};
use systemcanisters::icrc::{Rules, amount};
use systemcanisters::icrc_methods;
use systemcanisters::minting::{CreateCanister, CreateCanisterError as MintingError, MINTING};

const INTERFACE: &str = include_str!("../cycles_ledger.did");

#[used]
#[unsafe(link_section = "icp:public candid:service")]
static SERVICE: [u8; INTERFACE.len()] = *include_bytes!("../cycles_ledger.did");
systemcanisters::own_module!("cycles_ledger");

const FEE: u128 = 100_000_000;
const MEMO: usize = 32;
const MAX_BLOCKS: usize = 1_000; // of an answer

type Key = (Principal, Subaccount);

thread_local! {
    static BOOK: RefCell<Book<Key>> = RefCell::new(Book::new(hash_of));
    /// The canisters made by blocks, for answers to duplicates.
    static CREATED: RefCell<BTreeMap<u64, Principal>> = const { RefCell::new(BTreeMap::new()) };
}

fn rules() -> Rules<Key> {
    Rules { fee: FEE, minting: None, memo: MEMO }
}

/// Changes the book, and certifies its last block.
fn change<R>(f: impl FnOnce(&mut Book<Key>) -> R) -> R {
    BOOK.with_borrow_mut(|book| {
        let result = f(book);
        if let Some(last) = book.blocks.last() {
            certified_data_set(tip_root(&leb128(book.blocks.len() as u128 - 1), &last.hash));
        }
        result
    })
}

fn read<R>(f: impl FnOnce(&Book<Key>) -> R) -> R {
    BOOK.with_borrow(f)
}

/// A value of ICRC-3.
#[derive(CandidType, Clone)]
enum Value {
    Nat(Nat),
    Text(String),
    Blob(ByteBuf),
    Array(Vec<Value>),
    Map(BTreeMap<String, Value>),
}

impl Value {
    /// The representation-independent hash.
    fn hash(&self) -> [u8; 32] {
        match self {
            Value::Nat(n) => sha256(&[&leb128(amount(n))]),
            Value::Text(text) => sha256(&[text.as_bytes()]),
            Value::Blob(bytes) => sha256(&[bytes]),
            Value::Array(values) => sha256(&values.iter().map(Value::hash).collect::<Vec<_>>().iter().map(|h| h.as_slice()).collect::<Vec<_>>()),
            Value::Map(fields) => {
                let mut pairs: Vec<_> = fields.iter().map(|(name, value)| [sha256(&[name.as_bytes()]), value.hash()].concat()).collect();
                pairs.sort();
                sha256(&pairs.iter().map(|p| p.as_slice()).collect::<Vec<_>>())
            }
        }
    }
}

fn show_account(key: &Key) -> Value {
    let mut parts = vec![Value::Blob(ByteBuf::from(key.0.as_slice().to_vec()))];
    if key.1 != [0; 32] {
        parts.push(Value::Blob(ByteBuf::from(key.1.to_vec())));
    }
    Value::Array(parts)
}

fn nat(n: impl Into<Nat>) -> Value {
    Value::Nat(n.into())
}

/// A block as ICRC-3 shows it.
fn show(transaction: &Transaction<Key>, at: u64, parent: Option<[u8; 32]>) -> Value {
    let mut tx = BTreeMap::new();
    let mut put = |name: &str, value: Value| tx.insert(name.to_string(), value);
    let (kind, paid) = match &transaction.operation {
        Operation::Mint { to, amount, fee } => {
            put("to", show_account(to));
            put("amt", nat(*amount));
            ("mint", *fee)
        }
        Operation::Burn { from, spender, amount, fee } => {
            put("from", show_account(from));
            put("amt", nat(*amount));
            spender.iter().for_each(|s| _ = put("spender", show_account(s)));
            ("burn", *fee)
        }
        Operation::Transfer { from, to, spender, amount, fee } => {
            put("from", show_account(from));
            put("to", show_account(to));
            put("amt", nat(*amount));
            spender.iter().for_each(|s| _ = put("spender", show_account(s)));
            ("xfer", *fee)
        }
        Operation::Approve { from, spender, amount, expected, expires, fee } => {
            put("from", show_account(from));
            put("spender", show_account(spender));
            put("amt", nat(*amount));
            expected.iter().for_each(|e| _ = put("expected_allowance", nat(*e)));
            expires.iter().for_each(|e| _ = put("expires_at", nat(*e)));
            ("approve", *fee)
        }
    };
    put("op", Value::Text(kind.to_string()));
    if let Some(created) = transaction.created {
        put("ts", nat(created));
    }
    if let Some(note) = &transaction.note {
        put("memo", Value::Blob(ByteBuf::from(note.clone())));
    }
    let mut block = BTreeMap::from([("tx".to_string(), Value::Map(tx)), ("ts".to_string(), nat(at))]);
    if paid > 0 {
        block.insert("fee".to_string(), nat(paid));
    }
    if let Some(parent) = parent {
        block.insert("phash".to_string(), Value::Blob(ByteBuf::from(parent.to_vec())));
    }
    Value::Map(block)
}

fn hash_of(transaction: &Transaction<Key>, at: u64, parent: Option<[u8; 32]>) -> [u8; 32] {
    show(transaction, at, parent).hash()
}

#[derive(CandidType, Deserialize)]
struct InitArg {
    funded: Vec<(Account, Nat)>,
}

#[init]
fn init(arg: InitArg) {
    for (account, n) in arg.funded {
        mint(account.key(), amount(&n), 0, None);
    }
}

#[pre_upgrade]
fn save() {
    let created = CREATED.with_borrow(|created| created.clone().into_iter().collect::<Vec<_>>());
    read(|book| stable_save((book.save(), created))).unwrap_or_else(|e| trap(e.to_string()));
}

#[post_upgrade]
fn restore() {
    let (saved, created): (_, Vec<(u64, Principal)>) = stable_restore().unwrap_or_else(|e| trap(e));
    CREATED.set(created.into_iter().collect());
    change(|book| book.restore(saved));
}

/// Adds to an account what came in, and gives the index of the block.
fn mint(to: Key, amount: u128, fee: u128, note: Option<Vec<u8>>) -> u64 {
    let transaction = Transaction { operation: Operation::Mint { to, amount, fee }, memo: 0, note, created: None };
    change(|book| match book.apply(transaction, time()) {
        Ok(index) => index,
        Err(_) => trap("a mint cannot fail"),
    })
}

#[derive(CandidType, Deserialize)]
struct DepositArg {
    to: Account,
    memo: Option<ByteBuf>,
}

#[derive(CandidType)]
struct DepositResult {
    balance: Nat,
    block_index: Nat,
}

#[update]
fn deposit(arg: DepositArg) -> DepositResult {
    let offered = msg_cycles_available();
    if offered <= FEE {
        trap("The requested amount to be deposited is less than the cycles ledger fee");
    }
    let key = arg.to.key();
    let accepted = msg_cycles_accept(offered);
    let index = mint(key, accepted, FEE, arg.memo.map(ByteBuf::into_vec));
    DepositResult { balance: read(|book| book.balance(&key)).into(), block_index: index.into() }
}

#[derive(CandidType, Clone, Copy)]
enum RejectionCode {
    NoError,
    CanisterError,
    SysTransient,
    DestinationInvalid,
    Unknown,
    SysFatal,
    CanisterReject,
}

/// The code and the text of a failed call.
fn rejection(error: &CallError) -> (RejectionCode, String) {
    match error {
        CallError::CallRejected(r) => {
            let code = match r.raw_reject_code() {
                0 => RejectionCode::NoError,
                1 => RejectionCode::SysFatal,
                2 => RejectionCode::SysTransient,
                3 => RejectionCode::DestinationInvalid,
                4 => RejectionCode::CanisterReject,
                5 => RejectionCode::CanisterError,
                _ => RejectionCode::Unknown,
            };
            (code, r.reject_message().to_string())
        }
        other => (RejectionCode::Unknown, other.to_string()),
    }
}

#[derive(CandidType, Deserialize)]
struct WithdrawArg {
    amount: Nat,
    from_subaccount: Option<Vec<u8>>,
    to: Principal,
    created_at_time: Option<u64>,
}

#[derive(CandidType, Deserialize)]
struct WithdrawFromArg {
    spender_subaccount: Option<Vec<u8>>,
    from: Account,
    to: Principal,
    amount: Nat,
    created_at_time: Option<u64>,
}

#[derive(CandidType)]
#[allow(dead_code)] // the interface has more cases than happen here
enum WithdrawError {
    GenericError { error_code: Nat, message: String },
    TemporarilyUnavailable,
    FailedToWithdraw { fee_block: Option<Nat>, rejection_code: RejectionCode, rejection_reason: String },
    Duplicate { duplicate_of: Nat },
    BadFee { expected_fee: Nat },
    InvalidReceiver { receiver: Principal },
    CreatedInFuture { ledger_time: u64 },
    TooOld,
    InsufficientFunds { balance: Nat },
}

#[derive(CandidType)]
#[allow(dead_code)] // the interface has more cases than happen here
enum WithdrawFromError {
    GenericError { error_code: Nat, message: String },
    TemporarilyUnavailable,
    FailedToWithdrawFrom {
        withdraw_from_block: Option<Nat>, refund_block: Option<Nat>, approval_refund_block: Option<Nat>,
        rejection_code: RejectionCode, rejection_reason: String,
    },
    Duplicate { duplicate_of: Nat },
    InvalidReceiver { receiver: Principal },
    CreatedInFuture { ledger_time: u64 },
    TooOld,
    InsufficientFunds { balance: Nat },
    InsufficientAllowance { allowance: Nat },
}

impl From<Fault> for WithdrawError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::InsufficientFunds(balance) => WithdrawError::InsufficientFunds { balance: balance.into() },
            Fault::TooOld => WithdrawError::TooOld,
            Fault::CreatedInFuture(ledger_time) => WithdrawError::CreatedInFuture { ledger_time },
            Fault::Duplicate(of) => WithdrawError::Duplicate { duplicate_of: of.into() },
            _ => WithdrawError::TemporarilyUnavailable,
        }
    }
}

impl From<Fault> for WithdrawFromError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::InsufficientFunds(balance) => WithdrawFromError::InsufficientFunds { balance: balance.into() },
            Fault::InsufficientAllowance(allowance) => WithdrawFromError::InsufficientAllowance { allowance: allowance.into() },
            Fault::TooOld => WithdrawFromError::TooOld,
            Fault::CreatedInFuture(ledger_time) => WithdrawFromError::CreatedInFuture { ledger_time },
            Fault::Duplicate(of) => WithdrawFromError::Duplicate { duplicate_of: of.into() },
            _ => WithdrawFromError::TemporarilyUnavailable,
        }
    }
}

/// Takes cycles out of an account, before they are sent, and gives the index of the block.
fn burn(from: &Account, spender: Option<&Account>, n: u128, created: Option<u64>) -> Result<u64, Fault> {
    let operation = Operation::Burn { from: from.key(), spender: spender.map(Account::key), amount: n, fee: FEE };
    change(|book| book.apply(Transaction { operation, memo: 0, note: None, created }, time()))
}

/// Gives back what could not be sent, less a fee, and the spender's allowance with it.
fn refund(from: &Account, spender: Option<&Account>, n: u128) -> Option<Nat> {
    let index = (n > FEE).then(|| Nat::from(mint(from.key(), n, FEE, None)));
    if let Some(spender) = spender.filter(|s| s.key() != from.key()) {
        change(|book| {
            let Allowance { amount, expires } = book.allowance(&from.key(), &spender.key(), time());
            book.set_allowance(&from.key(), &spender.key(), Allowance { amount: amount + n.saturating_sub(FEE), expires });
        });
    }
    index
}

#[derive(CandidType)]
struct DepositCycles {
    canister_id: Principal,
}

/// Sends cycles to a canister.
async fn deposit_cycles(to: Principal, n: u128) -> Result<(), CallFailed> {
    Call::unbounded_wait(Principal::management_canister(), "deposit_cycles").with_arg(DepositCycles { canister_id: to }).with_cycles(n).await.map(|_| ())
}

/// Reports whether a principal is no canister that cycles can be sent to.
fn no_receiver(to: &Principal) -> bool {
    to.as_slice().last() != Some(&1) || to.as_slice().len() > 10
}

#[update]
async fn withdraw(arg: WithdrawArg) -> Result<Nat, WithdrawError> {
    let from = Account::of(msg_caller(), arg.from_subaccount);
    if no_receiver(&arg.to) {
        return Err(WithdrawError::InvalidReceiver { receiver: arg.to });
    }
    let n = amount(&arg.amount);
    let index = burn(&from, None, n, arg.created_at_time)?;
    match deposit_cycles(arg.to, n).await {
        Ok(()) => Ok(index.into()),
        Err(failed) => {
            let (rejection_code, rejection_reason) = rejection(&failed.into());
            Err(WithdrawError::FailedToWithdraw { fee_block: refund(&from, None, n), rejection_code, rejection_reason })
        }
    }
}

#[update]
async fn withdraw_from(arg: WithdrawFromArg) -> Result<Nat, WithdrawFromError> {
    let spender = Account::of(msg_caller(), arg.spender_subaccount);
    if no_receiver(&arg.to) {
        return Err(WithdrawFromError::InvalidReceiver { receiver: arg.to });
    }
    let n = amount(&arg.amount);
    let index = burn(&arg.from, Some(&spender), n, arg.created_at_time)?;
    match deposit_cycles(arg.to, n).await {
        Ok(()) => Ok(index.into()),
        Err(failed) => {
            let (rejection_code, rejection_reason) = rejection(&failed.into());
            Err(WithdrawFromError::FailedToWithdrawFrom {
                withdraw_from_block: Some(index.into()), refund_block: refund(&arg.from, Some(&spender), n), approval_refund_block: None,
                rejection_code, rejection_reason,
            })
        }
    }
}

#[derive(CandidType, Deserialize)]
struct CreateArg {
    from_subaccount: Option<Vec<u8>>,
    created_at_time: Option<u64>,
    amount: Nat,
    creation_args: Option<CreateCanister>,
}

#[derive(CandidType, Deserialize)]
struct CreateFromArg {
    from: Account,
    spender_subaccount: Option<Vec<u8>>,
    created_at_time: Option<u64>,
    amount: Nat,
    creation_args: Option<CreateCanister>,
}

#[derive(CandidType)]
struct Created {
    block_id: Nat,
    canister_id: Principal,
}

#[derive(CandidType)]
#[allow(dead_code)] // the interface has more cases than happen here
enum CreateError {
    InsufficientFunds { balance: Nat },
    TooOld,
    CreatedInFuture { ledger_time: u64 },
    TemporarilyUnavailable,
    Duplicate { duplicate_of: Nat, canister_id: Option<Principal> },
    FailedToCreate { fee_block: Option<Nat>, refund_block: Option<Nat>, error: String },
    GenericError { error_code: Nat, message: String },
}

#[derive(CandidType)]
#[allow(dead_code)] // the interface has more cases than happen here
enum CreateFromError {
    InsufficientFunds { balance: Nat },
    InsufficientAllowance { allowance: Nat },
    TooOld,
    CreatedInFuture { ledger_time: u64 },
    TemporarilyUnavailable,
    Duplicate { duplicate_of: Nat, canister_id: Option<Principal> },
    FailedToCreateFrom {
        create_from_block: Option<Nat>, refund_block: Option<Nat>, approval_refund_block: Option<Nat>,
        rejection_code: RejectionCode, rejection_reason: String,
    },
    GenericError { error_code: Nat, message: String },
}

fn created_by(block: u64) -> Option<Principal> {
    CREATED.with_borrow(|created| created.get(&block).copied())
}

impl From<Fault> for CreateError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::InsufficientFunds(balance) => CreateError::InsufficientFunds { balance: balance.into() },
            Fault::TooOld => CreateError::TooOld,
            Fault::CreatedInFuture(ledger_time) => CreateError::CreatedInFuture { ledger_time },
            Fault::Duplicate(of) => CreateError::Duplicate { duplicate_of: of.into(), canister_id: created_by(of) },
            _ => CreateError::TemporarilyUnavailable,
        }
    }
}

impl From<Fault> for CreateFromError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::InsufficientFunds(balance) => CreateFromError::InsufficientFunds { balance: balance.into() },
            Fault::InsufficientAllowance(allowance) => CreateFromError::InsufficientAllowance { allowance: allowance.into() },
            Fault::TooOld => CreateFromError::TooOld,
            Fault::CreatedInFuture(ledger_time) => CreateFromError::CreatedInFuture { ledger_time },
            Fault::Duplicate(of) => CreateFromError::Duplicate { duplicate_of: of.into(), canister_id: created_by(of) },
            _ => CreateFromError::TemporarilyUnavailable,
        }
    }
}

/// Has the cycles minting canister create a canister, which the owner controls unless the settings say otherwise.
async fn create(owner: Principal, n: u128, args: Option<CreateCanister>) -> Result<Principal, (RejectionCode, String)> {
    let mut args = args.unwrap_or_default();
    let settings = args.settings.get_or_insert_default();
    settings.controllers.get_or_insert_with(|| vec![owner]);
    let reply = Call::unbounded_wait(MINTING, "create_canister").with_arg(&args).with_cycles(n).await.map_err(|failed| rejection(&failed.into()))?;
    match reply.candid::<Result<Principal, MintingError>>() {
        Ok(Ok(canister)) => Ok(canister),
        Ok(Err(MintingError::Refunded { create_error, .. } | MintingError::RefundFailed { create_error, .. })) => Err((RejectionCode::CanisterReject, create_error)),
        Err(failed) => Err((RejectionCode::Unknown, failed.to_string())),
    }
}

fn remember(block: u64, canister_id: Principal) -> Created {
    CREATED.with_borrow_mut(|created| created.insert(block, canister_id));
    Created { block_id: block.into(), canister_id }
}

#[update]
async fn create_canister(arg: CreateArg) -> Result<Created, CreateError> {
    let from = Account::of(msg_caller(), arg.from_subaccount);
    let n = amount(&arg.amount);
    let index = burn(&from, None, n, arg.created_at_time)?;
    match create(from.owner, n, arg.creation_args).await {
        Ok(canister) => Ok(remember(index, canister)),
        Err((_, error)) => Err(CreateError::FailedToCreate { fee_block: Some(index.into()), refund_block: refund(&from, None, n), error }),
    }
}

#[update]
async fn create_canister_from(arg: CreateFromArg) -> Result<Created, CreateFromError> {
    let spender = Account::of(msg_caller(), arg.spender_subaccount);
    let n = amount(&arg.amount);
    let index = burn(&arg.from, Some(&spender), n, arg.created_at_time)?;
    match create(spender.owner, n, arg.creation_args).await {
        Ok(canister) => Ok(remember(index, canister)),
        Err((rejection_code, rejection_reason)) => Err(CreateFromError::FailedToCreateFrom {
            create_from_block: Some(index.into()), refund_block: refund(&arg.from, Some(&spender), n), approval_refund_block: None,
            rejection_code, rejection_reason,
        }),
    }
}

icrc_methods!(name: "Trillion Cycles", symbol: "TCYCLES", decimals: 12, minting: canister_self(), standards: [1, 2, 3]);

#[derive(CandidType, Deserialize)]
struct Range {
    start: Nat,
    length: Nat,
}

#[derive(CandidType)]
struct ShownBlock {
    id: Nat,
    block: Value,
}

#[derive(CandidType)]
struct Blocks {
    log_length: Nat,
    blocks: Vec<ShownBlock>,
    archived_blocks: Vec<candid::Empty>, // a type below all others: there are never any
}

#[query]
fn icrc3_get_blocks(ranges: Vec<Range>) -> Blocks {
    read(|book| {
        let show_block = |(id, b): (usize, &Block<Key>)| ShownBlock { id: id.into(), block: show(&b.transaction, b.time, b.parent) };
        let mut blocks = Vec::new();
        for range in ranges {
            let start = amount(&range.start).min(book.blocks.len() as u128) as usize;
            let length = amount(&range.length).min((MAX_BLOCKS - blocks.len()) as u128) as usize;
            blocks.extend(book.blocks.iter().enumerate().skip(start).take(length).map(show_block));
        }
        Blocks { log_length: book.blocks.len().into(), blocks, archived_blocks: Vec::new() }
    })
}

#[derive(CandidType, Deserialize)]
struct ArchivesArg {
    #[allow(dead_code)]
    from: Option<Principal>,
}

#[query]
fn icrc3_get_archives(_: ArchivesArg) -> Vec<candid::Empty> {
    Vec::new()
}

#[derive(CandidType)]
struct TipCertificate {
    certificate: ByteBuf,
    hash_tree: ByteBuf,
}

#[query]
fn icrc3_get_tip_certificate() -> Option<TipCertificate> {
    let certificate = ByteBuf::from(data_certificate()?);
    read(|book| {
        let last = book.blocks.last()?;
        let hash_tree = ByteBuf::from(tip_tree(&leb128(book.blocks.len() as u128 - 1), &last.hash));
        Some(TipCertificate { certificate, hash_tree })
    })
}

#[derive(CandidType)]
struct BlockType {
    block_type: String,
    url: String,
}

#[query]
fn icrc3_supported_block_types() -> Vec<BlockType> {
    let url = |n| format!("https://github.com/dfinity/ICRC-1/blob/main/standards/ICRC-{n}/README.md");
    [("1burn", 1), ("1mint", 1), ("2xfer", 2), ("2approve", 2)].map(|(name, n)| BlockType { block_type: name.to_string(), url: url(n) }).into()
}

fn main() {}
