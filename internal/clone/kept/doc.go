// Package kept makes the clones of a project from the snapshots that its folder keeps, and its stand-ins from their files.
//
// It owns which snapshot a canister of a project is made of when no network may be asked, and what becomes of the canisters
// that it calls. It must not know how the network is reached that gets them.
package kept
