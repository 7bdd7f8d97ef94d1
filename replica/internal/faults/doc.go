// Package faults decides what happens to messages in transit through a subnet: which rule is applied to a message, what
// the rule does with it, and when a held message is released.
//
// It owns the validity and the matching of rules, the accounting of held messages, and their order. Its decisions are
// data (Decision): the subnet carries them out. It must not know routes, mailboxes, ingress histories, or who listens
// to events.
package faults
