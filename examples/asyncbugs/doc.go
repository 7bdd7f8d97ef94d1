// Package asyncbugs is a collection of bugs of asynchronous canisters, each with a twin without the bug. README.md
// explains them.
//
// It owns the form of bug.yaml (Bug), and shows each bug with rules for messages on their way (Bug.ByHand). It must not
// know what explores orders of messages.
package asyncbugs
