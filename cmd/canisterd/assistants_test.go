package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/golden"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of the conversation over the Model Context Protocol: calls of tools, and bytes of arguments and answers.
const (
	mostToolCalls = 6
	mostToolBytes = 8 << 10
)

// What the conversation finds, from two modules in an empty folder.
const (
	conversationBefore    = `bank open "${vault}"`
	conversationDeposit   = "bank deposit 100"
	conversationOperation = "bank withdraw 100"
	conversationInvariant = "vault paidOut <= 100"
	conversationSchedule  = "explore/vault-paidOut-100.yaml"
)

// turn is one use of a tool or of the shell, and its answer.
type turn struct{ asked, answer string }

// bytes returns the bytes that an assistant writes and reads.
func (t turn) bytes() int { return len(t.asked) + len(t.answer) }

// conversation is a way from an empty folder to a reproduced double withdrawal.
type conversation struct {
	way   string
	turns []turn
	// findings are the findings of the exploration: kind and property. Then comes the outcome of the replay.
	findings []string
	outcome  string
}

func (c *conversation) bytes() (n int) {
	for _, t := range c.turns {
		n += t.bytes()
	}
	return n
}

// TestAConversationFindsADoubleWithdrawal goes from an empty folder with two modules to a reproduced double withdrawal, with
// commands, with their JSON, and with tools. All three find the same. docs/assistants.md shows calls and bytes.
func TestAConversationFindsADoubleWithdrawal(t *testing.T) {
	page := mustAbs(t, "../../docs/assistants.md")
	prepare(t)
	for _, file := range []string{"bank.wasm", "vault.wasm"} {
		writeFile(t, file, mustRead(t, filepath.Join(os.Getenv("EXAMPLES"), "doublewithdraw", file)))
	}
	tools, list := conversationWithTools(t)
	all := []*conversation{conversationInShell(t, false), conversationInShell(t, true), tools}
	for _, c := range all {
		if strings.Join(c.findings, "\n") != strings.Join(all[0].findings, "\n") || len(c.findings) != 1 {
			t.Errorf("%s finds %q, want %q", c.way, c.findings, all[0].findings)
		}
		if c.outcome != "still fails" {
			t.Errorf("%s replays %q", c.way, c.outcome)
		}
	}
	if calls, n := len(tools.turns), tools.bytes(); calls > mostToolCalls || n > mostToolBytes {
		t.Errorf("%d calls of tools with %d bytes, want at most %d and %d", calls, n, mostToolCalls, mostToolBytes)
	}
	showConversation(t, page, all, list)
}

// conversationInShell uses commands, with their text or their JSON.
func conversationInShell(t *testing.T, asJSON bool) *conversation {
	t.Helper()
	c := &conversation{way: "commands"}
	instance := "shell"
	if asJSON {
		c.way, instance = "commands with `--json`", "json"
	}
	ask := func(args ...string) []byte {
		if asJSON {
			args = append(args, "--json")
		}
		var out, errOut bytes.Buffer
		run(eventually.Context(t), append([]string{"-i", instance}, args...), &out, &errOut)
		words := make([]string, len(args))
		for i, arg := range args {
			words[i] = shellQuote(arg)
		}
		c.turns = append(c.turns, turn{"canisterd " + strings.Join(words, " "), out.String() + errOut.String()})
		return out.Bytes()
	}
	ask("instance", "create", instance)
	ask("help", "explore")
	ask("deploy")
	ask("canister", "interface", "bank")
	ask("canister", "interface", "vault")
	report := ask(
		"explore", "--before", conversationBefore, "--before", conversationDeposit, "--op", conversationOperation, "--op", conversationOperation,
		"--invariant", conversationInvariant,
	)
	replayed := ask("explore", "replay", conversationSchedule)
	if !asJSON {
		c.findings = findingLines(string(report))
		c.outcome, _, _ = strings.Cut(string(replayed), ":")
		return c
	}
	var found struct {
		Findings []struct {
			Property  string
			Suspicion bool
		}
	}
	var again struct{ Outcome string }
	if err := errors.Join(json.Unmarshal(report, &found), json.Unmarshal(replayed, &again)); err != nil {
		t.Fatalf("an answer is no JSON: %v", err)
	}
	for _, f := range found.Findings {
		kind := "finding"
		if f.Suspicion {
			kind = "suspicion"
		}
		c.findings = append(c.findings, kind+" "+f.Property)
	}
	c.outcome = strings.ReplaceAll(again.Outcome, "_", " ")
	return c
}

// findingLines returns the findings of a report in text: kind and property.
func findingLines(report string) (all []string) {
	for line := range strings.Lines(report) {
		kind, _, _ := strings.Cut(line, " ")
		if kind != "finding" && kind != "suspicion" {
			continue
		}
		for _, property := range []string{conversationInvariant, "serializable"} {
			if strings.Contains(line, property) || property == "serializable" && kind == "suspicion" {
				all = append(all, kind+" "+property)
				break
			}
		}
	}
	return all
}

// conversationWithTools starts canisterd mcp as an assistant does, and uses its tools. It returns the list of tools, too.
func conversationWithTools(t *testing.T) (c *conversation, list string) {
	t.Helper()
	ctx := eventually.Context(t)
	command := exec.CommandContext(ctx, mustAbs(t, os.Args[0]), "mcp")
	command.Env = append(os.Environ(), asCommand+"=1")
	session, err := sdk.NewClient(&sdk.Implementation{Name: "assistant"}, nil).Connect(ctx, &sdk.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := session.Close(); err != nil {
			t.Errorf("canisterd mcp ends with %v", err)
		}
	}()
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(listed)
	if err != nil {
		t.Fatal(err)
	}
	c = &conversation{way: "tools"}
	ask := func(tool string, arguments map[string]any) string {
		return askTool(ctx, t, session, c, tool, arguments)
	}
	operations := map[string]any{"before": []string{conversationBefore, conversationDeposit}, "operations": []string{conversationOperation, conversationOperation}}
	ask("deploy", nil)
	ask("suggest", operations)
	operations["invariants"] = []string{conversationInvariant}
	c.findings = findingLines(ask("explore", operations))
	c.outcome, _, _ = strings.Cut(ask("replay", map[string]any{"schedule": conversationSchedule}), ":")
	return c, string(text)
}

// askTool uses a tool, and adds the turn to a conversation.
func askTool(ctx context.Context, t *testing.T, session *sdk.ClientSession, c *conversation, tool string, arguments map[string]any) string {
	t.Helper()
	var asked bytes.Buffer
	encoder := json.NewEncoder(&asked)
	encoder.SetEscapeHTML(false)
	if arguments == nil {
		arguments = map[string]any{}
	}
	if err := encoder.Encode(arguments); err != nil {
		t.Fatal(err)
	}
	answer, err := session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text := ""
	for _, content := range answer.Content {
		text += content.(*sdk.TextContent).Text
	}
	if answer.IsError {
		t.Errorf("%s: %s", tool, text)
	}
	c.turns = append(c.turns, turn{tool + " " + strings.TrimSpace(asked.String()), text})
	return text
}

// canisterIDs are the ids of canisters.
var canisterIDs = regexp.MustCompile(`\b([a-z0-9]{5}-)+cai\b`)

// Marks around the generated part of docs/assistants.md.
const (
	conversationBegin = "<!-- conversation -->\n"
	conversationEnd   = "<!-- end -->\n"
)

// showConversation writes the part of the page about the conversations; the last one is shown in full.
func showConversation(t *testing.T, path string, all []*conversation, list string) {
	t.Helper()
	before, rest, found := strings.Cut(golden.Read(t, path), conversationBegin)
	_, after, ended := strings.Cut(rest, conversationEnd)
	if !found || !ended {
		t.Fatalf("%s does not have %s and %s", path, conversationBegin, conversationEnd)
	}
	var text strings.Builder
	text.WriteString("| with | calls | bytes written and read |\n|---|---|---|\n")
	for _, c := range all {
		fmt.Fprintf(&text, "| %s | %d | %s |\n", c.way, len(c.turns), rounded(c.bytes()))
	}
	fmt.Fprintf(&text, "\nThe list of tools, which an assistant reads once, has %s.\n\n", rounded(len(list)))
	for _, turn := range all[len(all)-1].turns {
		writeTurn(&text, turn)
	}
	golden.Compare(t, path, before+conversationBegin+text.String()+conversationEnd+after)
}

// rounded returns a number of bytes in kilobytes, rounded up: ids and times are not always as long.
func rounded(n int) string { return fmt.Sprintf("%d KB", (n+999)/1000) }

// writeTurn writes the use of a tool and its answer, without what differs from run to run.
func writeTurn(to io.Writer, t turn) {
	answer := t.answer
	answer = canisterIDs.ReplaceAllString(answer, "…")
	fmt.Fprintf(to, "```text not-run=\"cmd/canisterd/assistants_test.go runs it\"\n%s\n\n%s\n```\n\n", t.asked, answer)
}

func TestTheConfigurationOfAnAssistantNamesTheCommandOrTheDaemon(t *testing.T) {
	prepare(t)
	var config struct {
		Servers map[string]assistantServer `json:"mcpServers"`
	}
	for _, row := range []struct {
		args []string
		url  string
	}{{[]string{"mcp", "--config"}, ""}, {[]string{"mcp", "--config", "--http", "--url", "127.0.0.1:7"}, "http://127.0.0.1:7/mcp"}} {
		code, out, errOut := invoke(t, row.args...)
		if err := json.Unmarshal([]byte(out), &config); err != nil || code != exitOK {
			t.Fatalf("%v: exit code %d, %v, %s", row.args, code, err, errOut)
		}
		server := config.Servers["canisterd"]
		if server.URL != row.url || (server.Command == "") != (row.url != "") || strings.HasPrefix(server.Headers["Authorization"], "Bearer ") != (row.url != "") {
			t.Errorf("%v prints %s", row.args, out)
		}
	}
	if code, _, errOut := invoke(t, "mcp", "--http"); code != exitFailed || !strings.Contains(errOut, "--http needs --config") {
		t.Errorf("--http alone: exit code %d, %s", code, errOut)
	}
}

func TestHomeAndTheRootAreNoProjectsOfAnAssistant(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for folder, want := range map[string]string{home: "", string(filepath.Separator): "", project: project} {
		t.Chdir(folder)
		if got, err := assistantFolder(); err != nil || got != want {
			t.Errorf("in %s the folder is %q (%v), want %q", folder, got, err, want)
		}
	}
}
