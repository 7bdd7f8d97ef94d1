package trace

const (
	// MaxMembers is how many contexts and calls of a tree are remembered while events are selected; a larger tree loses
	// the oldest. Ours.
	MaxMembers = 1 << 16
	// MaxTextRunes is how much of a text (a reject, a line of a log) the text form and
	// diagrams show. Ours.
	MaxTextRunes = 240
	// MaxColumn is the maximum width of the tree before the columns next to it move, in runes. Ours.
	MaxColumn = 72
	// MaxDepth is how many nested calls the text form shows: each line is as long as it is deep. Ours.
	MaxDepth = 64
	// MaxLabel is the maximum length of a line in a diagram, in runes: the longest determines the distance of the
	// columns. Ours; a call between two canisters fits.
	MaxLabel = 64
	// MaxDiagram is the maximum size of the actors and lines of a diagram together, in bytes, without its first line
	// and the note about omissions. Mermaid refuses to draw a text of more than 50,000 characters (its setting
	// maxTextSize).
	MaxDiagram = 49_000
)
