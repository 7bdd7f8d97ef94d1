package faults

// Limits of rules and of held messages.
const (
	// MaxRules is the maximum number of rules for messages in transit, MaxRuleTextBytes the maximum length of their
	// texts. Ours.
	MaxRules         = 1000
	MaxRuleTextBytes = 4096
	// MaxReplyBytes is the payload of a reply of a rule or a user in place of a callee (the replica's: 2 MiB).
	MaxReplyBytes = 2 << 20
	// maxHeld is how many messages are held in transit; above it messages pass. Ours.
	maxHeld = 10_000
)
