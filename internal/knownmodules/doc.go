// Package knownmodules names modules by their SHA-256: what a canister runs, in which version, and where the module is
// from.
//
// It owns the list that is part of the program (modules.json, which make fixtures ONLY=known writes), the format of such
// lists, their limits, the file with the modules that the user added, and the folder with the bytes of modules. It must
// not know canisters, how a list or a module is downloaded, or where the user's file is.
package knownmodules
