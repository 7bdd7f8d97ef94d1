//go:build unix

package main

import (
	"strings"
	"testing"
)

func TestTheSkillNamesEveryCommandAndOnlyThose(t *testing.T) {
	root := (&cli{}).root()
	text := skillText(root)
	for _, cmd := range root.Commands() {
		if cmd.GroupID != "" && cmd.IsAvailableCommand() && !strings.Contains(text, "* `"+cmd.CommandPath()) {
			t.Errorf("the skill does not name %s", cmd.CommandPath())
		}
	}
	if !strings.HasPrefix(text, "---\nname: canisterd\ndescription: ") || len(text) > 8<<10 {
		t.Errorf("the skill has %d bytes and begins with %.40q", len(text), text)
	}
	named := strings.Join(commandsIn(text), "\n")
	if err := newReader(t).usable(named, false); err != nil {
		t.Error(err)
	}
}

// commandsIn returns the commands that lines of a text begin with, and those between backquotes, up to two spaces.
func commandsIn(text string) (all []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "* "))
		if strings.HasPrefix(line, "canisterd ") {
			command, _, _ := strings.Cut(line, "  ")
			command, _, _ = strings.Cut(command, " explains ")
			command, _, _ = strings.Cut(command, " lists ")
			all = append(all, command)
		}
	}
	return all
}
