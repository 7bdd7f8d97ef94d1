package replicatest

import "strings"

// submit submits a message under a label.
func (p *performer) submit(words []string) {
	id, refused := p.stage.Submit(p.number(words[1]), words[2], strings.Join(words[3:], " "))
	p.labels[words[0]] = id
	if refused != "" {
		p.say("%s", refused)
	}
}
