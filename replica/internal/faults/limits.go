package faults

// Limits of rules and of what they hold.
const (
	// MaxRules is how many rules there are for messages on their way, MaxRuleTextBytes how long
	// their texts. Ours.
	MaxRules         = 1000
	MaxRuleTextBytes = 4096
	// MaxReplyBytes is the payload of a reply that a rule or a user gives in the place of a callee (the replica's: 2 MiB).
	MaxReplyBytes = 2 << 20
	// maxHeld is how many messages are held on their way; past that messages go on. Ours.
	maxHeld = 10_000
)
