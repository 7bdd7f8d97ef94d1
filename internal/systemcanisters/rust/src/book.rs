//! The book of a ledger: balances, allowances and the blocks that made them.

use std::collections::{BTreeMap, VecDeque};

use candid::CandidType;
use serde::Deserialize;

/// How old a transaction that names its time may be, and by how much its time may be ahead, in nanoseconds.
pub const WINDOW: u64 = 24 * 60 * 60 * 1_000_000_000;
pub const DRIFT: u64 = 2 * 60 * 1_000_000_000;

/// What a transaction does. Amounts are in the smallest unit of the token.
#[derive(CandidType, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation<K> {
    Mint { to: K, amount: u128, fee: u128 },
    Burn { from: K, spender: Option<K>, amount: u128, fee: u128 },
    Transfer { from: K, to: K, spender: Option<K>, amount: u128, fee: u128 },
    Approve { from: K, spender: K, amount: u128, expected: Option<u128>, expires: Option<u64>, fee: u128 },
}

/// A transaction as its sender wants it.
#[derive(CandidType, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transaction<K> {
    pub operation: Operation<K>,
    /// The number that the ICP ledger takes beside `note`.
    pub memo: u64,
    pub note: Option<Vec<u8>>,
    /// Nanoseconds since 1970. Transactions without it are never duplicates.
    pub created: Option<u64>,
}

/// A transaction that happened, at a time in nanoseconds.
pub struct Block<K> {
    pub transaction: Transaction<K>,
    pub time: u64,
    pub parent: Option<[u8; 32]>,
    pub hash: [u8; 32],
}

/// An amount that a spender may take until a time.
#[derive(CandidType, Deserialize, Clone, Copy, Default)]
pub struct Allowance {
    pub amount: u128,
    pub expires: Option<u64>,
}

/// The reason why a transaction did not happen.
pub enum Fault {
    InsufficientFunds(u128),
    InsufficientAllowance(u128),
    AllowanceChanged(u128),
    Expired(u64),
    TooOld,
    CreatedInFuture(u64),
    Duplicate(u64),
}

/// The state of a ledger whose accounts are named by K.
pub struct Book<K> {
    balances: BTreeMap<K, u128>,
    allowances: BTreeMap<(K, K), Allowance>,
    pub blocks: Vec<Block<K>>,
    recent: BTreeMap<Transaction<K>, u64>,
    order: VecDeque<(u64, Transaction<K>)>,
    pub supply: u128,
    /// Gives a block its hash, from its index, its transaction, its time and its parent's hash.
    hash: fn(&Transaction<K>, u64, Option<[u8; 32]>) -> [u8; 32],
}

/// A book as it is kept in stable memory over an upgrade. Hashes and the transactions of the last day follow from the
/// blocks.
#[derive(CandidType, Deserialize)]
pub struct Saved<K> {
    balances: Vec<(K, u128)>,
    allowances: Vec<(K, K, Allowance)>,
    blocks: Vec<(Transaction<K>, u64)>,
    supply: u128,
}

impl<K: Ord + Clone> Book<K> {
    pub fn new(hash: fn(&Transaction<K>, u64, Option<[u8; 32]>) -> [u8; 32]) -> Self {
        Book {
            balances: BTreeMap::new(), allowances: BTreeMap::new(), blocks: Vec::new(),
            recent: BTreeMap::new(), order: VecDeque::new(), supply: 0, hash,
        }
    }

    pub fn save(&self) -> Saved<K> {
        Saved {
            balances: self.balances.iter().map(|(account, amount)| (account.clone(), *amount)).collect(),
            allowances: self.allowances.iter().map(|((from, spender), allowance)| (from.clone(), spender.clone(), *allowance)).collect(),
            blocks: self.blocks.iter().map(|block| (block.transaction.clone(), block.time)).collect(),
            supply: self.supply,
        }
    }

    /// Fills a new book with what was saved.
    pub fn restore(&mut self, saved: Saved<K>) {
        self.balances = saved.balances.into_iter().collect();
        self.allowances = saved.allowances.into_iter().map(|(from, spender, allowance)| ((from, spender), allowance)).collect();
        self.supply = saved.supply;
        for (transaction, time) in saved.blocks {
            self.append(transaction, time);
        }
    }

    pub fn balance(&self, account: &K) -> u128 {
        self.balances.get(account).copied().unwrap_or(0)
    }

    /// The allowance of a spender; none is zero, as is one whose time is over.
    pub fn allowance(&self, from: &K, spender: &K, now: u64) -> Allowance {
        match self.allowances.get(&(from.clone(), spender.clone())) {
            Some(allowance) if allowance.expires.is_none_or(|at| at > now) => *allowance,
            _ => Allowance::default(),
        }
    }

    /// Applies a transaction whole or not at all, and gives the index of its block.
    pub fn apply(&mut self, transaction: Transaction<K>, now: u64) -> Result<u64, Fault> {
        self.check_time(&transaction, now)?;
        self.carry_out(&transaction.operation, now)?;
        Ok(self.append(transaction, now))
    }

    /// Adds the block of a transaction that has happened.
    fn append(&mut self, transaction: Transaction<K>, now: u64) -> u64 {
        let index = self.blocks.len() as u64;
        if let Some(created) = transaction.created {
            self.recent.insert(transaction.clone(), index);
            self.order.push_back((created, transaction.clone()));
        }
        let parent = self.blocks.last().map(|block| block.hash);
        let hash = (self.hash)(&transaction, now, parent);
        self.blocks.push(Block { transaction, time: now, parent, hash });
        index
    }

    fn check_time(&mut self, transaction: &Transaction<K>, now: u64) -> Result<(), Fault> {
        while let Some((created, oldest)) = self.order.front() {
            if created.saturating_add(WINDOW + DRIFT) >= now {
                break;
            }
            self.recent.remove(oldest);
            self.order.pop_front();
        }
        let Some(created) = transaction.created else { return Ok(()) };
        if created.saturating_add(WINDOW + DRIFT) < now {
            return Err(Fault::TooOld);
        }
        if created > now.saturating_add(DRIFT) {
            return Err(Fault::CreatedInFuture(now));
        }
        match self.recent.get(transaction) {
            Some(index) => Err(Fault::Duplicate(*index)),
            None => Ok(()),
        }
    }

    fn carry_out(&mut self, operation: &Operation<K>, now: u64) -> Result<(), Fault> {
        match operation {
            Operation::Mint { to, amount, fee } => {
                let kept = amount.saturating_sub(*fee);
                self.supply += kept;
                self.add(to, kept);
            }
            Operation::Burn { from, spender, amount, fee } => {
                let total = amount.saturating_add(*fee);
                self.take(from, spender.as_ref(), total, now)?;
                self.supply -= total;
            }
            Operation::Transfer { from, to, spender, amount, fee } => {
                self.take(from, spender.as_ref(), amount.saturating_add(*fee), now)?;
                self.supply -= fee;
                self.add(to, *amount);
            }
            Operation::Approve { from, spender, amount, expected, expires, fee } => {
                if expires.is_some_and(|at| at <= now) {
                    return Err(Fault::Expired(now));
                }
                let current = self.allowance(from, spender, now).amount;
                if expected.is_some_and(|expected| expected != current) {
                    return Err(Fault::AllowanceChanged(current));
                }
                self.take(from, None, *fee, now)?;
                self.supply -= fee;
                self.set_allowance(from, spender, Allowance { amount: *amount, expires: *expires });
            }
        }
        Ok(())
    }

    fn add(&mut self, account: &K, amount: u128) {
        if amount > 0 {
            *self.balances.entry(account.clone()).or_insert(0) += amount;
        }
    }

    /// Takes an amount from an account, and from the allowance of its spender.
    fn take(&mut self, from: &K, spender: Option<&K>, amount: u128, now: u64) -> Result<(), Fault> {
        let spender = spender.filter(|spender| *spender != from);
        if let Some(spender) = spender {
            let allowance = self.allowance(from, spender, now);
            if allowance.amount < amount {
                return Err(Fault::InsufficientAllowance(allowance.amount));
            }
        }
        let balance = self.balance(from);
        if balance < amount {
            return Err(Fault::InsufficientFunds(balance));
        }
        if balance == amount {
            self.balances.remove(from);
        } else {
            self.balances.insert(from.clone(), balance - amount);
        }
        if let Some(spender) = spender {
            let mut allowance = self.allowance(from, spender, now);
            allowance.amount -= amount;
            self.set_allowance(from, spender, allowance);
        }
        Ok(())
    }

    /// Sets what a spender may take; an allowance of zero is not kept.
    pub fn set_allowance(&mut self, from: &K, spender: &K, allowance: Allowance) {
        let key = (from.clone(), spender.clone());
        if allowance.amount == 0 {
            self.allowances.remove(&key);
        } else {
            self.allowances.insert(key, allowance);
        }
    }
}
