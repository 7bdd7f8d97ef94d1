package tasks

// retryAfter is the time after which the global timer or the low-memory hook of a frozen canister is retried, in
// nanoseconds (the replica's: until the next round).
const retryAfter = 1_000_000_000
