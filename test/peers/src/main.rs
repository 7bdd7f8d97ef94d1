//! The banks of examples/doublewithdraw as native programs for two other explorers, TraceForge and Shuttle: so many users
//! withdraw 100 from an account of 100, and the bank asks the vault to pay.
//!
//!     canisterd-peers classes REQUESTS ANSWERS BANK WITHDRAWALS  executions that TraceForge finds, and nanoseconds for all
//!     canisterd-peers schedules BANK WITHDRAWALS RUNS            nanoseconds that Shuttle takes for so many random schedules
//!
//! REQUESTS and ANSWERS are ordered or unordered: whether the vault gets the requests of the bank in the order in which they
//! were sent, and the bank the answers. BANK is bank, which deducts after the payment, or careful, which deducts before.

mod shuttle_bank;
mod traceforge_bank;

use std::time::Instant;

use traceforge_bank::Delivery;

/// What the bank knows. Both programs have this bank, and differ in how messages are sent.
pub struct Bank {
    careful: bool,
    balance: u32,
    /// Withdrawals that were answered.
    pub answered: u32,
}

impl Bank {
    pub fn new(careful: bool) -> Self {
        Bank { careful, balance: 100, answered: 0 }
    }

    /// Begins a withdrawal, and returns whether the vault is to pay.
    pub fn withdraw(&mut self) -> bool {
        if self.balance < 100 {
            self.answered += 1;
            return false;
        }
        if self.careful {
            self.balance -= 100;
        }
        true
    }

    /// Ends a withdrawal that the vault has paid. The bank with the bug sets the balance from the one that it saw before.
    pub fn paid(&mut self) {
        if !self.careful {
            self.balance = 0;
        }
        self.answered += 1;
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |word: &str| word.parse::<u32>().expect("a number");
    let in_order = |word: &str| match word {
        "ordered" => true,
        "unordered" => false,
        _ => panic!("unknown order {word}"),
    };
    let careful = |bank: &str| match bank {
        "bank" => false,
        "careful" => true,
        _ => panic!("unknown bank {bank}"),
    };
    let begin = Instant::now();
    match words[..] {
        ["classes", requests, answers, bank, withdrawals] => {
            let delivery = Delivery { requests_in_order: in_order(requests), answers_in_order: in_order(answers) };
            let classes = traceforge_bank::classes(delivery, careful(bank), number(withdrawals));
            println!("{classes} {}", begin.elapsed().as_nanos());
        }
        ["schedules", bank, withdrawals, runs] => {
            shuttle_bank::schedules(careful(bank), number(withdrawals), number(runs));
            println!("{}", begin.elapsed().as_nanos());
        }
        _ => panic!("classes REQUESTS ANSWERS BANK WITHDRAWALS, or schedules BANK WITHDRAWALS RUNS"),
    }
}
