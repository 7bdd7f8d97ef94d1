package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/docs"
)

// skillHead begins a skill: what assistants read before they decide whether to read the rest.
const skillHead = `---
name: canisterd
description: Run canisters of the Internet Computer on a local network, call them, and explore every order of their messages with faults until a bug is found and replayed. Use it where a directory has a canisterd.yaml or Wasm modules of canisters, or where tests of canisters need a network.
---

`

// skillRules are what an assistant needs to know about all commands.
const skillRules = `## Rules

* Commands never ask without a terminal, and print no color into pipes. Add --json for results as JSON, and --jq to take a
  part of them.
* An operation is CANISTER METHOD [ARGUMENTS] [as PRINCIPAL]. ARGUMENTS is Candid text; ${NAME} stands for the principal of
  a canister or an identity. Quote it for the shell with '.
* canisterd help COMMAND explains a command, canisterd help --json lists all with their flags.
* canisterd exec --deploy . -- COMMAND runs a test in a network of its own, and needs no running daemon.
* If your client has the tools of canisterd mcp, use them instead of commands: deploy, suggest, explore, replay.
`

func (c *cli) skill() *cobra.Command {
	return &cobra.Command{
		Use:   "skill",
		Short: "Print a skill for coding assistants: what canisterd does and how to use it",
		Long: `Print a skill for coding assistants: what canisterd does and how to use it, as the file
SKILL.md. It is made from the same texts as the help.`,
		Example: `  canisterd skill > SKILL.md
  mkdir -p .claude/skills/canisterd && canisterd skill > .claude/skills/canisterd/SKILL.md`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text := skillText(cmd.Root())
			return c.print(strings.TrimSuffix(text, "\n"), map[string]string{"skill": text})
		},
	}
}

// skillText is the skill.
func skillText(root *cobra.Command) string {
	var text strings.Builder
	title, begin, _ := strings.Cut(about, "\n\n")
	fmt.Fprintf(&text, "%s# canisterd\n\n%s.\n\n%s\n\n%s\n## Commands\n", skillHead, title, begin, skillRules)
	for _, group := range root.Groups() {
		fmt.Fprintf(&text, "\n%s\n\n", group.Title)
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && cmd.IsAvailableCommand() {
				fmt.Fprintf(&text, "* `%s`: %s\n", skillUsage(cmd), cmd.Short)
			}
		}
	}
	text.WriteString("\n## Exit codes\n\n| exit code | meaning |\n|---|---|\n")
	for _, one := range exitMeanings {
		fmt.Fprintf(&text, "| %s | %s |\n", one.Codes, one.Meaning)
	}
	text.WriteString("\n## Topics\n\nThe tool `reference` reads these pages:\n\n")
	for _, topic := range docs.Topics() {
		fmt.Fprintf(&text, "* %s: %s\n", topic, docs.Title(topic))
	}
	return text.String()
}

// skillUsage returns the usage line of a command, or with the names of those below it.
func skillUsage(cmd *cobra.Command) string {
	if acts(cmd) {
		return strings.TrimSuffix(cmd.UseLine(), " [flags]")
	}
	var names []string
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() {
			names = append(names, child.Name())
		}
	}
	return cmd.CommandPath() + " " + strings.Join(names, "|")
}
