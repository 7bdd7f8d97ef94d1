package replicatest

import (
	"strconv"
	"strings"
)

// answer prints the status of a message.
func (p *performer) answer(words []string) {
	p.say("%s", printable(p.stage.Answer(p.labels[words[0]])))
}

// printable returns text in which invisible characters are escaped.
func printable(text string) string {
	quoted := strconv.Quote(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
