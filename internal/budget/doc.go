// Package budget counts the bytes that a daemon and each of its instances keep for their clients, and reports when
// there are too many.
//
// Budgets form a tree: what a budget has in use counts in every budget above it.
//
//	daemon ─┬─ requests            bodies and messages that are read, answers that are sent
//	        ├─ instance "default"  messages that wait, answers that are kept, events
//	        └─ instance "other"
//
// There are two ways to use memory. Reserve asks first and is refused above a limit: for input of clients, before it is
// accepted. Charge counts a measured size: for replicated state, which must not depend on what other instances use. The
// edge refuses new messages while charges are above a limit.
//
// Heaps and stable memories of canisters are not counted: they are in the checkpoint file, and the subnet bounds them.
//
// It must not know what the bytes are.
package budget
