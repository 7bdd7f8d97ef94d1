package replicatest

import (
	"strconv"
	"strings"
)

// answer tells where a message stands.
func (p *performer) answer(words []string) {
	p.say("%s", printable(p.stage.Answer(p.labels[words[0]])))
}

// printable is text with everything that is not shown as escapes.
func printable(text string) string {
	quoted := strconv.Quote(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
