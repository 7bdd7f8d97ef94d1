package tasks

// retryAfter is how long the global timer or the low-memory hook of a frozen canister waits before it is tried again,
// in nanoseconds (the replica's: until the next round).
const retryAfter = 1_000_000_000
