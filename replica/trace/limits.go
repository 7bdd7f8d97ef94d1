package trace

const (
	// MaxMembers is how many contexts and calls of a tree are remembered while events are
	// picked; of a tree that has more the oldest are forgotten. Ours.
	MaxMembers = 1 << 16
	// MaxTextRunes is how much of a text (a reject, a line of a log) the text form and
	// diagrams show. Ours.
	MaxTextRunes = 240
	// MaxColumn is how wide the tree may become before the columns beside it give way, in
	// runes. Ours.
	MaxColumn = 72
	// MaxDepth is how many calls within one another the text form shows: each line is as long
	// as it is deep. Ours.
	MaxDepth = 64
	// MaxLabel is how long a line in a diagram may be, in runes: the longest sets how far
	// the columns stand apart. Ours; a call of one canister by another fits in.
	MaxLabel = 64
	// MaxDiagram is how large the actors and lines of a diagram become together, in bytes; its
	// first line and the note of what is left out come beside. Mermaid refuses to draw a text
	// of more than 50,000 characters (its setting maxTextSize).
	MaxDiagram = 49_000
)
