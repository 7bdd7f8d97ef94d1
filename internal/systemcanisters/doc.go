// Package systemcanisters owns the canisters of mainnet that clients and tools expect at fixed ids: the registry, the ICP
// ledger, the cycles minting canister and the cycles ledger. They are real canisters, written for this project in Rust
// (the folder rust, built by make fixtures), and they are installed by messages like those of users.
//
// It must not know what drives a network: that is handed in.
package systemcanisters
