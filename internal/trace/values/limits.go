package values

// MaxValue limits the text of an argument or a reply in a trace, in runes. Ours.
const MaxValue = 100
