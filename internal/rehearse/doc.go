// Package rehearse tries an upgrade of a canister on forks of its instance, over the control API, and judges it. The
// instance itself does not change.
//
// It owns what a rehearsal compares, its limits, and its verdict. It must not know the texts of commands, project files,
// or how the verdict is printed.
package rehearse
