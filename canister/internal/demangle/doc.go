// Package demangle makes the names of compiled Rust functions readable in backtraces and logs.
//
// It owns both forms of symbols that rustc writes: the legacy one (_ZN…E, Itanium with escapes and a hash) and v0 (_R…,
// RFC 2603). The text is the same as in the replica, the alternate form of the crate rustc-demangle: without hashes, crate
// disambiguators and the types of integer constants. Other names are unchanged.
//
// A name comes from a module that anybody may install. A short v0 symbol may stand for a text of exponential length,
// because its back references nest; limits.go limits depth, text and work.
//
// It knows nothing about canisters or modules.
package demangle
