//! ICRC-1 and ICRC-2 over a book.

use candid::{CandidType, Nat, Principal};
use serde::Deserialize;

use crate::account::{Account, Identifier, Subaccount};
use crate::book::{Book, Fault, Operation, Transaction};

/// How a ledger names an account in its book.
pub trait Key: Ord + Clone {
    fn of(account: &Account) -> Self;
}

impl Key for (Principal, Subaccount) {
    fn of(account: &Account) -> Self {
        account.key()
    }
}

impl Key for Identifier {
    fn of(account: &Account) -> Self {
        account.identifier()
    }
}

/// What a ledger takes for a transaction, and the account from and to which transfers mint and burn.
pub struct Rules<K> {
    pub fee: u128,
    pub minting: Option<K>,
    /// Memos are at most so many bytes.
    pub memo: usize,
}

#[derive(CandidType, Deserialize)]
pub struct TransferArg {
    pub from_subaccount: Option<Vec<u8>>,
    pub to: Account,
    pub amount: Nat,
    pub fee: Option<Nat>,
    pub memo: Option<serde_bytes::ByteBuf>,
    pub created_at_time: Option<u64>,
}

#[derive(CandidType, Deserialize)]
pub struct TransferFromArg {
    pub spender_subaccount: Option<Vec<u8>>,
    pub from: Account,
    pub to: Account,
    pub amount: Nat,
    pub fee: Option<Nat>,
    pub memo: Option<serde_bytes::ByteBuf>,
    pub created_at_time: Option<u64>,
}

#[derive(CandidType, Deserialize)]
pub struct ApproveArg {
    pub from_subaccount: Option<Vec<u8>>,
    pub spender: Account,
    pub amount: Nat,
    pub expected_allowance: Option<Nat>,
    pub expires_at: Option<u64>,
    pub fee: Option<Nat>,
    pub memo: Option<serde_bytes::ByteBuf>,
    pub created_at_time: Option<u64>,
}

#[derive(CandidType, Deserialize)]
pub struct AllowanceArg {
    pub account: Account,
    pub spender: Account,
}

#[derive(CandidType, Deserialize)]
pub struct AllowanceResult {
    pub allowance: Nat,
    pub expires_at: Option<u64>,
}

#[derive(CandidType)]
pub enum TransferError {
    BadFee { expected_fee: Nat },
    BadBurn { min_burn_amount: Nat },
    InsufficientFunds { balance: Nat },
    TooOld,
    CreatedInFuture { ledger_time: u64 },
    TemporarilyUnavailable,
    Duplicate { duplicate_of: Nat },
    GenericError { error_code: Nat, message: String },
}

#[derive(CandidType)]
pub enum TransferFromError {
    BadFee { expected_fee: Nat },
    BadBurn { min_burn_amount: Nat },
    InsufficientFunds { balance: Nat },
    InsufficientAllowance { allowance: Nat },
    TooOld,
    CreatedInFuture { ledger_time: u64 },
    TemporarilyUnavailable,
    Duplicate { duplicate_of: Nat },
    GenericError { error_code: Nat, message: String },
}

#[derive(CandidType)]
pub enum ApproveError {
    BadFee { expected_fee: Nat },
    InsufficientFunds { balance: Nat },
    AllowanceChanged { current_allowance: Nat },
    Expired { ledger_time: u64 },
    TooOld,
    CreatedInFuture { ledger_time: u64 },
    Duplicate { duplicate_of: Nat },
    TemporarilyUnavailable,
    GenericError { error_code: Nat, message: String },
}

impl From<TransferFromError> for TransferError {
    fn from(error: TransferFromError) -> Self {
        match error {
            TransferFromError::BadFee { expected_fee } => TransferError::BadFee { expected_fee },
            TransferFromError::BadBurn { min_burn_amount } => TransferError::BadBurn { min_burn_amount },
            TransferFromError::InsufficientFunds { balance } => TransferError::InsufficientFunds { balance },
            TransferFromError::InsufficientAllowance { .. } => TransferError::TemporarilyUnavailable, // senders need none
            TransferFromError::TooOld => TransferError::TooOld,
            TransferFromError::CreatedInFuture { ledger_time } => TransferError::CreatedInFuture { ledger_time },
            TransferFromError::TemporarilyUnavailable => TransferError::TemporarilyUnavailable,
            TransferFromError::Duplicate { duplicate_of } => TransferError::Duplicate { duplicate_of },
            TransferFromError::GenericError { error_code, message } => TransferError::GenericError { error_code, message },
        }
    }
}

impl From<Fault> for TransferFromError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::InsufficientFunds(balance) => TransferFromError::InsufficientFunds { balance: balance.into() },
            Fault::InsufficientAllowance(allowance) => TransferFromError::InsufficientAllowance { allowance: allowance.into() },
            Fault::TooOld => TransferFromError::TooOld,
            Fault::CreatedInFuture(ledger_time) => TransferFromError::CreatedInFuture { ledger_time },
            Fault::Duplicate(of) => TransferFromError::Duplicate { duplicate_of: of.into() },
            Fault::AllowanceChanged(_) | Fault::Expired(_) => TransferFromError::TemporarilyUnavailable, // only of approvals
        }
    }
}

impl From<Fault> for ApproveError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::InsufficientFunds(balance) => ApproveError::InsufficientFunds { balance: balance.into() },
            Fault::AllowanceChanged(current) => ApproveError::AllowanceChanged { current_allowance: current.into() },
            Fault::Expired(ledger_time) => ApproveError::Expired { ledger_time },
            Fault::TooOld => ApproveError::TooOld,
            Fault::CreatedInFuture(ledger_time) => ApproveError::CreatedInFuture { ledger_time },
            Fault::Duplicate(of) => ApproveError::Duplicate { duplicate_of: of.into() },
            Fault::InsufficientAllowance(_) => ApproveError::TemporarilyUnavailable, // only of transfers
        }
    }
}

/// An amount of a client; those beyond 128 bits stand for the largest, which no account has.
pub fn amount(n: &Nat) -> u128 {
    u128::try_from(n.0.clone()).unwrap_or(u128::MAX)
}

fn check_memo(memo: &Option<serde_bytes::ByteBuf>, limit: usize) -> Option<Vec<u8>> {
    let memo = memo.as_ref()?;
    if memo.len() > limit {
        ic_cdk::trap(format!("the memo has {} bytes: use at most {limit}", memo.len()));
    }
    Some(memo.to_vec())
}

/// `icrc1_transfer`.
pub fn transfer<K: Key>(book: &mut Book<K>, rules: &Rules<K>, caller: Principal, arg: TransferArg, now: u64) -> Result<Nat, TransferError> {
    let from = Account::of(caller, arg.from_subaccount);
    let transfer = TransferFromArg {
        spender_subaccount: None, from, to: arg.to, amount: arg.amount, fee: arg.fee, memo: arg.memo, created_at_time: arg.created_at_time,
    };
    Ok(move_tokens(book, rules, None, transfer, now)?)
}

/// `icrc2_transfer_from`.
pub fn transfer_from<K: Key>(book: &mut Book<K>, rules: &Rules<K>, caller: Principal, mut arg: TransferFromArg, now: u64) -> Result<Nat, TransferFromError> {
    let spender = Account::of(caller, arg.spender_subaccount.take());
    move_tokens(book, rules, Some(K::of(&spender)), arg, now)
}

fn move_tokens<K: Key>(book: &mut Book<K>, rules: &Rules<K>, spender: Option<K>, arg: TransferFromArg, now: u64) -> Result<Nat, TransferFromError> {
    let (from, to, amount) = (K::of(&arg.from), K::of(&arg.to), amount(&arg.amount));
    let minting = rules.minting.as_ref();
    let special = minting == Some(&from) || minting == Some(&to);
    let fee = if special { 0 } else { rules.fee };
    if arg.fee.is_some_and(|given| given != fee) {
        return Err(TransferFromError::BadFee { expected_fee: fee.into() });
    }
    let operation = if minting == Some(&from) {
        if spender.is_some() || special && minting == Some(&to) {
            return Err(TransferFromError::GenericError { error_code: 0u8.into(), message: "the minting account cannot be spent from".to_string() });
        }
        Operation::Mint { to, amount, fee: 0 }
    } else if minting == Some(&to) {
        if amount < rules.fee {
            return Err(TransferFromError::BadBurn { min_burn_amount: rules.fee.into() });
        }
        Operation::Burn { from, spender, amount, fee: 0 }
    } else {
        Operation::Transfer { from, to, spender, amount, fee }
    };
    let note = check_memo(&arg.memo, rules.memo);
    Ok(book.apply(Transaction { operation, memo: 0, note, created: arg.created_at_time }, now)?.into())
}

/// `icrc2_approve`.
pub fn approve<K: Key>(book: &mut Book<K>, rules: &Rules<K>, caller: Principal, arg: ApproveArg, now: u64) -> Result<Nat, ApproveError> {
    if arg.fee.is_some_and(|fee| fee != rules.fee) {
        return Err(ApproveError::BadFee { expected_fee: rules.fee.into() });
    }
    let from = Account::of(caller, arg.from_subaccount);
    if from.key() == arg.spender.key() {
        ic_cdk::trap("self approval is not allowed");
    }
    let operation = Operation::Approve {
        from: K::of(&from), spender: K::of(&arg.spender), amount: amount(&arg.amount),
        expected: arg.expected_allowance.as_ref().map(amount), expires: arg.expires_at, fee: rules.fee,
    };
    let note = check_memo(&arg.memo, rules.memo);
    Ok(book.apply(Transaction { operation, memo: 0, note, created: arg.created_at_time }, now)?.into())
}

/// `icrc2_allowance`.
pub fn allowance<K: Key>(book: &Book<K>, arg: &AllowanceArg, now: u64) -> AllowanceResult {
    let allowance = book.allowance(&K::of(&arg.account), &K::of(&arg.spender), now);
    AllowanceResult { allowance: allowance.amount.into(), expires_at: allowance.expires }
}

#[derive(CandidType)]
pub enum Metadata {
    Nat(Nat),
    Text(String),
}

/// `icrc1_metadata`.
pub fn metadata(name: &str, symbol: &str, decimals: u8, fee: u128, memo: usize) -> Vec<(String, Metadata)> {
    vec![
        ("icrc1:decimals".to_string(), Metadata::Nat(decimals.into())),
        ("icrc1:name".to_string(), Metadata::Text(name.to_string())),
        ("icrc1:symbol".to_string(), Metadata::Text(symbol.to_string())),
        ("icrc1:fee".to_string(), Metadata::Nat(fee.into())),
        ("icrc1:max_memo_length".to_string(), Metadata::Nat(memo.into())),
    ]
}

#[derive(CandidType)]
pub struct Standard {
    pub name: String,
    pub url: String,
}

/// `icrc1_supported_standards`.
pub fn standards(numbers: &[u8]) -> Vec<Standard> {
    let url = |n| format!("https://github.com/dfinity/ICRC-1/tree/main/standards/ICRC-{n}");
    numbers.iter().map(|n| Standard { name: format!("ICRC-{n}"), url: url(n) }).collect()
}

/// The methods of ICRC-1 and ICRC-2 that every ledger has. The ledger has `change`, `read` and `rules` for its book.
#[macro_export]
macro_rules! icrc_methods {
    (name: $name:expr, symbol: $symbol:expr, decimals: $decimals:expr, minting: $minting:expr, standards: $standards:expr) => {
        #[::ic_cdk::query]
        fn icrc1_name() -> String {
            $name.to_string()
        }

        #[::ic_cdk::query]
        fn icrc1_symbol() -> String {
            $symbol.to_string()
        }

        #[::ic_cdk::query]
        fn icrc1_decimals() -> u8 {
            $decimals
        }

        #[::ic_cdk::query]
        fn icrc1_fee() -> ::candid::Nat {
            rules().fee.into()
        }

        #[::ic_cdk::query]
        fn icrc1_metadata() -> Vec<(String, $crate::icrc::Metadata)> {
            let rules = rules();
            $crate::icrc::metadata($name, $symbol, $decimals, rules.fee, rules.memo)
        }

        #[::ic_cdk::query]
        fn icrc1_minting_account() -> Option<$crate::account::Account> {
            Some($crate::account::Account { owner: $minting, subaccount: None })
        }

        #[::ic_cdk::query]
        fn icrc1_supported_standards() -> Vec<$crate::icrc::Standard> {
            $crate::icrc::standards(&$standards)
        }

        #[::ic_cdk::query]
        fn icrc1_total_supply() -> ::candid::Nat {
            read(|book| book.supply).into()
        }

        #[::ic_cdk::query]
        fn icrc1_balance_of(account: $crate::account::Account) -> ::candid::Nat {
            read(|book| book.balance(&$crate::icrc::Key::of(&account))).into()
        }

        #[::ic_cdk::update]
        fn icrc1_transfer(arg: $crate::icrc::TransferArg) -> Result<::candid::Nat, $crate::icrc::TransferError> {
            change(|book| $crate::icrc::transfer(book, &rules(), ::ic_cdk::api::msg_caller(), arg, ::ic_cdk::api::time()))
        }

        #[::ic_cdk::update]
        fn icrc2_transfer_from(arg: $crate::icrc::TransferFromArg) -> Result<::candid::Nat, $crate::icrc::TransferFromError> {
            change(|book| $crate::icrc::transfer_from(book, &rules(), ::ic_cdk::api::msg_caller(), arg, ::ic_cdk::api::time()))
        }

        #[::ic_cdk::update]
        fn icrc2_approve(arg: $crate::icrc::ApproveArg) -> Result<::candid::Nat, $crate::icrc::ApproveError> {
            change(|book| $crate::icrc::approve(book, &rules(), ::ic_cdk::api::msg_caller(), arg, ::ic_cdk::api::time()))
        }

        #[::ic_cdk::query]
        fn icrc2_allowance(arg: $crate::icrc::AllowanceArg) -> $crate::icrc::AllowanceResult {
            read(|book| $crate::icrc::allowance(book, &arg, ::ic_cdk::api::time()))
        }
    };
}
