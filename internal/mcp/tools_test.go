package mcp_test

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/internal/mcp"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestMain(m *testing.M) { os.Exit(canistertest.Main(m)) }

// project makes a folder with the modules of examples/doublewithdraw and others that tests use.
func project(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, file := range []string{
		"../../examples/doublewithdraw/bank.wasm", "../../examples/doublewithdraw/vault.wasm", "../../examples/doublewithdraw/careful.wasm",
		"../../test/canistertest/fixtures/counter.wasm", "../../test/canistertest/fixtures/class/branch.wasm",
	} {
		module, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(file)), module, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// served starts a daemon, and tools over it for a folder.
func served(t *testing.T, folder string) *mcp.Server {
	t.Helper()
	d, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: canistertest.CacheDir(t), Seed: []byte{7}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("closing the daemon: %v", err)
		}
	})
	connection, err := remote.Dial(d.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	s := mcp.New(mcp.Config{Daemon: connection, Folder: folder, Principals: map[string]string{"alice": principal.SelfAuthenticating([]byte("alice")).String()}, Version: "test"})
	t.Cleanup(s.Close)
	return s
}

// connected connects a client to tools.
func connected(t *testing.T, s *mcp.Server) *sdk.ClientSession {
	t.Helper()
	here, there := net.Pipe()
	ctx := eventually.Context(t)
	ended := make(chan error, 1)
	go func() { ended <- s.ServeStream(ctx, there, there) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(ctx, &sdk.IOTransport{Reader: here, Writer: here}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		<-ended
	})
	return session
}

// use calls a tool, and returns its answer.
func use(t *testing.T, session *sdk.ClientSession, tool string, arguments any) (text string, failed bool) {
	t.Helper()
	result, err := session.CallTool(eventually.Context(t), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	for _, content := range result.Content {
		text += content.(*sdk.TextContent).Text
	}
	return text, result.IsError
}

// TestToolsAnswerAsTheirTranscriptsSay plays the transcripts of testdata: after each line that begins with $ comes what the
// tool answers, indented, and an error behind "! ".
func TestToolsAnswerAsTheirTranscriptsSay(t *testing.T) {
	golden.Transcripts(t, "testdata", func(t *testing.T, script string) string {
		folder := project(t)
		session := connected(t, served(t, folder))
		var text strings.Builder
		for line := range strings.Lines(script) {
			command, is := strings.CutPrefix(line, "$ ")
			switch {
			case is:
				tool, arguments, _ := strings.Cut(strings.TrimSpace(command), " ")
				if arguments == "" {
					arguments = "{}"
				}
				if !json.Valid([]byte(arguments)) {
					t.Fatalf("%s: the arguments are no JSON", line)
				}
				answer, failed := use(t, session, tool, json.RawMessage(arguments))
				if failed {
					answer = "! " + answer
				}
				text.WriteString(line)
				for shown := range strings.Lines(masked(strings.ReplaceAll(answer, folder, "FOLDER"))) {
					text.WriteString(strings.TrimRight("  "+shown, " \n") + "\n")
				}
			case strings.HasPrefix(line, "> "): // the second file gets the content of the first
				text.WriteString(line)
				from, to, _ := strings.Cut(strings.TrimSpace(line[2:]), " ")
				module, err := os.ReadFile(filepath.Join(folder, from))
				if err == nil {
					err = os.WriteFile(filepath.Join(folder, to), module, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			case strings.HasPrefix(line, "#"):
				text.WriteString(line)
			}
		}
		return text.String()
	})
}

// passing is what differs from run to run.
var passing = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`202[0-9]-[0-9-]{5}T[0-9:.]+Z`), "NOW"},
	{regexp.MustCompile(`(ingress |request )[0-9a-f]{8}`), "${1}REQUEST"},
	{regexp.MustCompile(`[0-9]+ (rounds|messages)`), "N ${1}"},
	{regexp.MustCompile(` *\b[0-9.]+ [nµm]s\b`), "  WALL"},
}

func masked(text string) string {
	for _, mask := range passing {
		text = mask.what.ReplaceAllString(text, mask.by)
	}
	return text
}

func TestThereAreAtMostTenToolsAndTheirListIsSmall(t *testing.T) {
	session := connected(t, served(t, ""))
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) > 10 || len(text) > 10<<10 {
		t.Errorf("%d tools in %d bytes", len(list.Tools), len(text))
	}
}
