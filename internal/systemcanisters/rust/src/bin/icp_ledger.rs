//! The ICP ledger: its own interface, ICRC-1 and ICRC-2. Blocks are all kept here, without archives.

use std::cell::RefCell;

use candid::{CandidType, Principal};
use ic_cdk::api::{certified_data_set, data_certificate, msg_caller, time};
use ic_cdk::storage::{stable_restore, stable_save};
use ic_cdk::{init, post_upgrade, pre_upgrade, query, trap, update};
use serde::Deserialize;
use serde_bytes::ByteBuf;
use systemcanisters::account::{Account, Identifier};
use systemcanisters::book::{self, Block, Book, Fault, Operation, Transaction};
use systemcanisters::hash::{leb128, sha256};
use systemcanisters::icrc::{self, Rules};
use systemcanisters::icrc_methods;
use systemcanisters::minting::GOVERNANCE;

const INTERFACE: &str = include_str!("../icp_ledger.did");

#[used]
#[unsafe(link_section = "icp:public candid:service")]
static SERVICE: [u8; INTERFACE.len()] = *include_bytes!("../icp_ledger.did");
systemcanisters::own_module!("icp_ledger");

const FEE: u64 = 10_000;
const MEMO: usize = 32;
const MAX_BLOCKS: u64 = 2_000; // of an answer

thread_local! {
    static BOOK: RefCell<Book<Identifier>> = RefCell::new(Book::new(hash_of));
}

fn minting() -> Identifier {
    Identifier::of(GOVERNANCE, [0; 32])
}

fn rules() -> Rules<Identifier> {
    Rules { fee: FEE.into(), minting: Some(minting()), memo: MEMO }
}

/// Changes the book, and certifies its last block.
fn change<R>(f: impl FnOnce(&mut Book<Identifier>) -> R) -> R {
    BOOK.with_borrow_mut(|book| {
        let result = f(book);
        if let Some(last) = book.blocks.last() {
            certified_data_set(last.hash);
        }
        result
    })
}

fn read<R>(f: impl FnOnce(&Book<Identifier>) -> R) -> R {
    BOOK.with_borrow(f)
}

// Protocol buffers, in which blocks are hashed and shown by query_encoded_blocks.

fn field(to: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    to.push(number << 3 | 2);
    to.extend(leb128(bytes.len() as u128));
    to.extend(bytes);
}

fn number(field_number: u8, n: u64) -> Vec<u8> {
    let mut message = Vec::new();
    if n != 0 {
        message.push(field_number << 3);
        message.extend(leb128(n.into()));
    }
    message
}

fn accounts(message: &mut Vec<u8>, pairs: &[(u8, &Identifier)]) {
    for (n, account) in pairs {
        let mut hash = Vec::new();
        field(&mut hash, 1, &account.0);
        field(message, *n, &hash);
    }
}

fn encode_operation(operation: &Operation<Identifier>) -> (u8, Vec<u8>) {
    let mut m = Vec::new();
    let tokens = |amount: &u128| number(1, *amount as u64);
    match operation {
        Operation::Burn { from, spender, amount, .. } => {
            accounts(&mut m, &[(1, from)]);
            field(&mut m, 3, &tokens(amount));
            accounts(&mut m, &spender.iter().map(|s| (4, s)).collect::<Vec<_>>());
            (1, m)
        }
        Operation::Mint { to, amount, .. } => {
            accounts(&mut m, &[(2, to)]);
            field(&mut m, 3, &tokens(amount));
            (2, m)
        }
        Operation::Transfer { from, to, spender, amount, fee } => {
            accounts(&mut m, &[(1, from), (2, to)]);
            field(&mut m, 3, &tokens(amount));
            field(&mut m, 4, &tokens(fee));
            if let Some(spender) = spender {
                let mut from_transfer = Vec::new();
                accounts(&mut from_transfer, &[(1, spender)]);
                field(&mut m, 6, &from_transfer);
            }
            (3, m)
        }
        Operation::Approve { from, spender, amount, expected, expires, fee } => {
            accounts(&mut m, &[(1, from), (2, spender)]);
            field(&mut m, 3, &tokens(amount));
            if let Some(at) = expires {
                field(&mut m, 4, &number(1, *at));
            }
            field(&mut m, 5, &tokens(fee));
            if let Some(expected) = expected {
                field(&mut m, 6, &tokens(expected));
            }
            (4, m)
        }
    }
}

fn encode(transaction: &Transaction<Identifier>, at: u64, parent: Option<[u8; 32]>) -> Vec<u8> {
    let (kind, operation) = encode_operation(&transaction.operation);
    let mut inner = Vec::new();
    // In the order of field numbers: burn 1, mint 2, send 3, memo 4, created_at_time 6, icrc1_memo 7, approve 8.
    let kind = if kind == 4 { 8 } else { kind };
    if kind < 4 {
        field(&mut inner, kind, &operation);
    }
    field(&mut inner, 4, &number(1, transaction.memo));
    field(&mut inner, 6, &number(1, transaction.created.unwrap_or(at)));
    if let Some(note) = &transaction.note {
        let mut memo = Vec::new();
        field(&mut memo, 1, note);
        field(&mut inner, 7, &memo);
    }
    if kind == 8 {
        field(&mut inner, kind, &operation);
    }
    let mut block = Vec::new();
    if let Some(parent) = parent {
        let mut hash = Vec::new();
        field(&mut hash, 1, &parent);
        field(&mut block, 1, &hash);
    }
    field(&mut block, 2, &number(1, at));
    field(&mut block, 3, &inner);
    block
}

fn hash_of(transaction: &Transaction<Identifier>, at: u64, parent: Option<[u8; 32]>) -> [u8; 32] {
    sha256(&[&encode(transaction, at, parent)])
}

#[derive(CandidType, Deserialize)]
struct InitArg {
    funded: Vec<(ByteBuf, u64)>,
}

#[init]
fn init(arg: InitArg) {
    change(|book| {
        for (account, amount) in arg.funded {
            let to = Identifier::read(&account).unwrap_or_else(|e| trap(e));
            let operation = Operation::Mint { to, amount: amount.into(), fee: 0 };
            let _ = book.apply(Transaction { operation, memo: 0, note: None, created: None }, time());
        }
    });
}

#[pre_upgrade]
fn save() {
    read(|book| stable_save((book.save(),))).unwrap_or_else(|e| trap(e.to_string()));
}

#[post_upgrade]
fn restore() {
    let (saved,) = stable_restore().unwrap_or_else(|e| trap(e));
    change(|book| book.restore(saved));
}

#[derive(CandidType, Deserialize, Clone, Copy)]
struct Tokens {
    e8s: u64,
}

fn tokens(amount: u128) -> Tokens {
    Tokens { e8s: amount as u64 }
}

#[derive(CandidType, Deserialize, Clone, Copy)]
struct TimeStamp {
    timestamp_nanos: u64,
}

#[derive(CandidType, Deserialize)]
struct TransferArgs {
    memo: u64,
    amount: Tokens,
    fee: Tokens,
    from_subaccount: Option<ByteBuf>,
    to: ByteBuf,
    created_at_time: Option<TimeStamp>,
}

#[derive(CandidType, Debug)]
enum TransferError {
    BadFee { expected_fee: DebugTokens },
    InsufficientFunds { balance: DebugTokens },
    TxTooOld { allowed_window_nanos: u64 },
    TxCreatedInFuture,
    TxDuplicate { duplicate_of: u64 },
}

#[derive(CandidType, Debug)]
struct DebugTokens {
    e8s: u64,
}

impl From<Fault> for TransferError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::InsufficientFunds(balance) => TransferError::InsufficientFunds { balance: DebugTokens { e8s: balance as u64 } },
            Fault::TooOld => TransferError::TxTooOld { allowed_window_nanos: book::WINDOW },
            Fault::CreatedInFuture(_) => TransferError::TxCreatedInFuture,
            Fault::Duplicate(duplicate_of) => TransferError::TxDuplicate { duplicate_of },
            _ => trap("a transfer of one's own needs no allowance"),
        }
    }
}

fn send(arg: TransferArgs) -> Result<u64, TransferError> {
    let from = Account::of(msg_caller(), arg.from_subaccount.map(ByteBuf::into_vec)).identifier();
    let to = Identifier::read(&arg.to).unwrap_or_else(|e| trap(e));
    let amount = u128::from(arg.amount.e8s);
    let free = from == minting() || to == minting();
    let fee = if free { 0 } else { FEE };
    if arg.fee.e8s != fee {
        return Err(TransferError::BadFee { expected_fee: DebugTokens { e8s: fee } });
    }
    let operation = if from == minting() {
        Operation::Mint { to, amount, fee: 0 }
    } else if to == minting() {
        if amount < u128::from(FEE) {
            trap(format!("burns of less than {FEE} e8s are not allowed"));
        }
        Operation::Burn { from, spender: None, amount, fee: 0 }
    } else {
        Operation::Transfer { from, to, spender: None, amount, fee: fee.into() }
    };
    let created = arg.created_at_time.map(|at| at.timestamp_nanos);
    change(|book| Ok(book.apply(Transaction { operation, memo: arg.memo, note: None, created }, time())?))
}

#[update]
fn transfer(arg: TransferArgs) -> Result<u64, TransferError> {
    send(arg)
}

#[derive(CandidType, Deserialize)]
struct SendArgs {
    memo: u64,
    amount: Tokens,
    fee: Tokens,
    from_subaccount: Option<ByteBuf>,
    to: String,
    created_at_time: Option<TimeStamp>,
}

#[update]
fn send_dfx(arg: SendArgs) -> u64 {
    let to = ByteBuf::from(Identifier::parse(&arg.to).unwrap_or_else(|e| trap(e)).0.to_vec());
    let SendArgs { memo, amount, fee, from_subaccount, created_at_time, .. } = arg;
    send(TransferArgs { memo, amount, fee, from_subaccount, to, created_at_time }).unwrap_or_else(|e| trap(format!("{e:?}")))
}

#[derive(CandidType, Deserialize)]
struct BalanceArgs {
    account: ByteBuf,
}

#[derive(CandidType, Deserialize)]
struct TextBalanceArgs {
    account: String,
}

#[query]
fn account_balance(arg: BalanceArgs) -> Tokens {
    // An identifier that is invalid has nothing.
    Identifier::read(&arg.account).map_or(tokens(0), |id| tokens(read(|book| book.balance(&id))))
}

#[query]
fn account_balance_dfx(arg: TextBalanceArgs) -> Tokens {
    let id = Identifier::parse(&arg.account).unwrap_or_else(|e| trap(e));
    tokens(read(|book| book.balance(&id)))
}

#[query]
fn account_identifier(account: Account) -> ByteBuf {
    ByteBuf::from(account.identifier().0.to_vec())
}

#[derive(CandidType)]
struct TransferFee {
    transfer_fee: Tokens,
}

#[derive(CandidType, Deserialize)]
struct Nothing {}

#[query]
fn transfer_fee(_: Option<Nothing>) -> TransferFee {
    TransferFee { transfer_fee: Tokens { e8s: FEE } }
}

#[derive(CandidType)]
struct Symbol {
    symbol: String,
}

#[query]
fn symbol() -> Symbol {
    Symbol { symbol: "ICP".to_string() }
}

#[derive(CandidType)]
struct Name {
    name: String,
}

#[query]
fn name() -> Name {
    Name { name: "Internet Computer".to_string() }
}

#[derive(CandidType)]
struct Decimals {
    decimals: u32,
}

#[query]
fn decimals() -> Decimals {
    Decimals { decimals: 8 }
}

#[derive(CandidType)]
struct Archives {
    archives: Vec<Archive>,
}

#[derive(CandidType)]
struct Archive {
    canister_id: Principal,
}

#[query]
fn archives() -> Archives {
    Archives { archives: Vec::new() }
}

#[query]
fn is_ledger_ready() -> bool {
    true
}

#[derive(CandidType)]
enum ShownOperation {
    Mint { to: ByteBuf, amount: Tokens },
    Burn { from: ByteBuf, spender: Option<ByteBuf>, amount: Tokens },
    Transfer { from: ByteBuf, to: ByteBuf, amount: Tokens, fee: Tokens, spender: Option<ByteBuf> },
    Approve {
        from: ByteBuf, spender: ByteBuf, allowance_e8s: i128, allowance: Tokens, fee: Tokens,
        expires_at: Option<TimeStamp>, expected_allowance: Option<Tokens>,
    },
}

#[derive(CandidType)]
struct ShownTransaction {
    memo: u64,
    icrc1_memo: Option<ByteBuf>,
    operation: Option<ShownOperation>,
    created_at_time: TimeStamp,
}

#[derive(CandidType)]
struct ShownBlock {
    parent_hash: Option<ByteBuf>,
    transaction: ShownTransaction,
    timestamp: TimeStamp,
}

fn blob(id: &Identifier) -> ByteBuf {
    ByteBuf::from(id.0.to_vec())
}

fn show_operation(operation: &Operation<Identifier>) -> ShownOperation {
    match operation {
        Operation::Mint { to, amount, .. } => ShownOperation::Mint { to: blob(to), amount: tokens(*amount) },
        Operation::Burn { from, spender, amount, .. } => {
            ShownOperation::Burn { from: blob(from), spender: spender.as_ref().map(blob), amount: tokens(*amount) }
        }
        Operation::Transfer { from, to, spender, amount, fee } => ShownOperation::Transfer {
            from: blob(from), to: blob(to), amount: tokens(*amount), fee: tokens(*fee), spender: spender.as_ref().map(blob),
        },
        Operation::Approve { from, spender, amount, expected, expires, fee } => ShownOperation::Approve {
            from: blob(from), spender: blob(spender), allowance_e8s: *amount as i128, allowance: tokens(*amount), fee: tokens(*fee),
            expires_at: expires.map(|timestamp_nanos| TimeStamp { timestamp_nanos }), expected_allowance: expected.map(tokens),
        },
    }
}

fn show(block: &Block<Identifier>) -> ShownBlock {
    let t = &block.transaction;
    ShownBlock {
        parent_hash: block.parent.map(|hash| ByteBuf::from(hash.to_vec())),
        transaction: ShownTransaction {
            memo: t.memo, icrc1_memo: t.note.clone().map(ByteBuf::from), operation: Some(show_operation(&t.operation)),
            created_at_time: TimeStamp { timestamp_nanos: t.created.unwrap_or(block.time) },
        },
        timestamp: TimeStamp { timestamp_nanos: block.time },
    }
}

#[derive(CandidType, Deserialize)]
struct GetBlocksArgs {
    start: u64,
    length: u64,
}

#[derive(CandidType)]
struct BlocksResponse<B: CandidType> {
    chain_length: u64,
    certificate: Option<ByteBuf>,
    blocks: Vec<B>,
    first_block_index: u64,
    archived_blocks: Vec<candid::Empty>, // a type below all others: there are never any
}

fn blocks_of<B: CandidType>(arg: &GetBlocksArgs, f: impl Fn(&Block<Identifier>) -> B) -> BlocksResponse<B> {
    read(|book| {
        let length = book.blocks.len() as u64;
        let first = arg.start.min(length);
        let end = first.saturating_add(arg.length.min(MAX_BLOCKS)).min(length);
        BlocksResponse {
            chain_length: length, certificate: data_certificate().map(ByteBuf::from),
            blocks: book.blocks[first as usize..end as usize].iter().map(f).collect(), first_block_index: first, archived_blocks: Vec::new(),
        }
    })
}

#[query]
fn query_blocks(arg: GetBlocksArgs) -> BlocksResponse<ShownBlock> {
    blocks_of(&arg, show)
}

#[query]
fn query_encoded_blocks(arg: GetBlocksArgs) -> BlocksResponse<ByteBuf> {
    blocks_of(&arg, |block| ByteBuf::from(encode(&block.transaction, block.time, block.parent)))
}

#[derive(CandidType)]
struct Tip {
    certification: Option<ByteBuf>,
    tip_index: u64,
}

#[query]
fn tip_of_chain() -> Tip {
    let tip_index = read(|book| book.blocks.len() as u64).saturating_sub(1);
    Tip { certification: data_certificate().map(ByteBuf::from), tip_index }
}

icrc_methods!(name: "Internet Computer", symbol: "ICP", decimals: 8, minting: GOVERNANCE, standards: [1, 2]);

#[query]
fn icrc10_supported_standards() -> Vec<icrc::Standard> {
    icrc::standards(&[1, 2, 10])
}

fn main() {}
