// Package deploy creates the canisters of a project in an instance that has none of them, over the control API.
//
// It owns what a canister of a project is created and installed with, and how files reach its front end. It must not know
// where ids are kept: it returns them.
package deploy
