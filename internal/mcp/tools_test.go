package mcp_test

import (
	"encoding/json"
	"errors"
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
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
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

func TestPagesTracesAndSchedulesAreResources(t *testing.T) {
	folder := project(t)
	if err := os.WriteFile(filepath.Join(folder, "secret.yaml"), []byte("password: 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	session := connected(t, served(t, folder))
	list, err := session.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) < 20 {
		t.Fatalf("there are %d resources, %v", len(list.Resources), err)
	}
	use(t, session, "deploy", map[string]any{"modules": []string{"counter.wasm"}})
	use(t, session, "explore", map[string]any{"operations": []string{"counter add 1"}, "invariants": []string{"counter get < 1"}, "faults": 0})
	called, _ := use(t, session, "call", map[string]any{"calls": []string{"counter add 2"}, "full": true})
	_, rest, _ := strings.Cut(called, "ingress ")
	request, _, _ := strings.Cut(rest, " ")
	for uri, want := range map[string]string{
		"docs://explore":                         "# Explore every order of messages",
		"trace://instance-1/" + request:          "instructions",
		"schedule://explore/counter-get-1.yaml":  "property: counter get < 1",
		"schedule://secret.yaml":                 "! ",
		"schedule://../schedule.yaml":            "! ",
		"docs://explor":                          "! ",
		"trace://instance-1/ffffffff":            "! ",
		"schedule://explore/counter-get-12.yaml": "! ",
	} {
		read, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		switch {
		case want == "! " && err == nil:
			t.Errorf("%s is read: %s", uri, read.Contents[0].Text)
		case want != "! " && (err != nil || !strings.Contains(read.Contents[0].Text, want)):
			t.Errorf("%s: %v, want %s", uri, err, want)
		}
	}
}

func TestLinksLeadNoToolOutOfTheFolder(t *testing.T) {
	folder, outside := project(t), t.TempDir()
	for link, target := range map[string]string{"away": outside, "out.wasm": filepath.Join(outside, "counter.wasm"), "explore": outside} {
		if err := os.Symlink(target, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	module, err := os.ReadFile(filepath.Join(folder, "counter.wasm"))
	if err == nil {
		err = os.WriteFile(filepath.Join(outside, "counter.wasm"), module, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	session := connected(t, served(t, folder))
	for _, arguments := range []map[string]any{{"folder": "away"}, {"modules": []string{"out.wasm"}}, {"modules": []string{"away/counter.wasm"}}} {
		if answer, failed := use(t, session, "deploy", arguments); !failed || !strings.Contains(answer, " is outside ") {
			t.Errorf("deploy %v: %s", arguments, answer)
		}
	}
	if answer, failed := use(t, session, "deploy", map[string]any{"modules": []string{"counter.wasm"}}); failed {
		t.Fatal(answer)
	}
	explored, failed := use(t, session, "explore", map[string]any{"operations": []string{"counter add 1"}, "invariants": []string{"counter get < 1"}, "faults": 0})
	if files, err := os.ReadDir(outside); err != nil || !failed || len(files) != 1 {
		t.Errorf("explore writes %v outside (%v): %s", files, err, explored)
	}
}

func TestTheOldestInstanceMakesRoomEvenIfItIsGone(t *testing.T) {
	server := served(t, project(t))
	session := connected(t, server)
	for number := range 10 {
		if number == 8 { // as a user may
			if _, err := server.Daemon.Instances.DeleteInstance(t.Context(), &controlv1.DeleteInstanceRequest{Instance: "instance-1"}); err != nil {
				t.Fatal(err)
			}
		}
		if answer, failed := use(t, session, "deploy", map[string]any{"modules": []string{"counter.wasm"}}); failed {
			t.Fatal(answer)
		}
	}
	listed, _ := use(t, session, "state", map[string]any{"do": "list"})
	if n := strings.Count(listed, "deployed from counter.wasm"); n != 8 || strings.Contains(listed, "instance-2,") {
		t.Errorf("%d instances are left:\n%s", n, listed)
	}
	if _, err := server.Daemon.Instances.GetInstance(t.Context(), &controlv1.GetInstanceRequest{Instance: "instance-2"}); err == nil {
		t.Error("the daemon still has the oldest one")
	}
	if answer, failed := use(t, session, "call", map[string]any{"calls": []string{"counter inc"}, "instance": "instance-2"}); !failed {
		t.Errorf("the oldest one answers: %s", answer)
	}
}

func TestADeploymentUploadsTheFrontEnd(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"canisterd.yaml":  "canisters: {web: {wasm: webroot.wasm, frontend: dist}}",
		"webroot.wasm":    readFile(t, "../../test/canistertest/fixtures/webroot/webroot.wasm"),
		"dist/index.html": "<title>Office</title>",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	session := connected(t, served(t, folder))
	for _, manual := range []bool{false, true} {
		if text, failed := use(t, session, "deploy", map[string]any{"manual": manual}); failed {
			t.Fatal(text)
		}
		text, failed := use(t, session, "call", map[string]any{"calls": []string{"web list (record {})"}})
		if failed || !strings.Contains(text, "/index.html") {
			t.Errorf("the asset canister has %s", text)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "webroot.wasm"), []byte(readFile(t, "../../test/canistertest/fixtures/counter.wasm")), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, failed := use(t, session, "deploy", nil); !failed || !strings.Contains(text, "uploading the front end: ") {
		t.Errorf("a canister that is no asset canister: %s", text)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAServerWithoutAFolderSaysWhereToStartIt(t *testing.T) {
	session := connected(t, served(t, ""))
	if answer, failed := use(t, session, "deploy", nil); !failed || !strings.Contains(answer, "in the directory of the project") {
		t.Errorf("deploy says %s", answer)
	}
}

func TestTheReferenceListsItsPagesAndTheSectionsOfOne(t *testing.T) {
	session := connected(t, served(t, ""))
	for _, row := range []struct {
		arguments map[string]any
		says      string
		failed    bool
	}{
		{nil, "explore: Explore every order of messages\n", false},
		{map[string]any{"topic": "explore"}, "sections: Explore every order of messages; ", false},
		{map[string]any{"topic": "explore"}, "more bytes: pass full: true for more", false},
		{map[string]any{"topic": "explore", "section": "send_twice"}, "## Faults\n", false},
		{map[string]any{"topic": "explor"}, `no topic "explor" (topics: assistants, `, true},
	} {
		if answer, failed := use(t, session, "reference", row.arguments); failed != row.failed || !strings.Contains(answer, row.says) {
			t.Errorf("reference %v says\n%s\nwant %q", row.arguments, answer, row.says)
		}
	}
}

func TestAHeldCallIsOpenAndWhySaysWhatHoldsIt(t *testing.T) {
	server := served(t, project(t))
	session := connected(t, server)
	use(t, session, "deploy", map[string]any{"modules": []string{"bank.wasm", "vault.wasm"}})
	use(t, session, "call", map[string]any{"calls": []string{`bank open "${vault}"`, "bank deposit 100"}})
	_, err := server.Daemon.Messages.AddRule(t.Context(), &controlv1.AddRuleRequest{Instance: "instance-1", Rule: &controlv1.Rule{
		Match: &controlv1.Match{Kind: controlv1.MessageKind_MESSAGE_KIND_RESPONSE, Method: "transfer"}, Action: &controlv1.Rule_Hold{Hold: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		tool      string
		arguments map[string]any
		says      string
	}{
		{"call", map[string]any{"calls": []string{"bank withdraw 100"}}, "bank withdraw 100: still open, it awaits transfer of canister vault: the response is held by rule 1 as held 1 (why says"},
		{"why", nil, "bank awaits vault.transfer: the response is held by rule 1 (the user releases it: canisterd release 1)\n"},
		{"why", map[string]any{"request": "ffffffff"}, "ffffffff"},
	} {
		if answer, _ := use(t, session, row.tool, row.arguments); !strings.Contains(answer, row.says) {
			t.Errorf("%s says\n%s\nwant %s", row.tool, answer, row.says)
		}
	}
	for number := 2; number <= 11; number++ {
		answer, _ := use(t, session, "why", nil)
		if got := strings.Count(answer, "bank awaits vault.transfer: "); got != number-1 || strings.Contains(answer, "and more than") {
			t.Fatalf("with %d open calls, why lists %d:\n%s", number-1, got, answer)
		}
		use(t, session, "call", map[string]any{"calls": []string{"bank deposit 100", "bank withdraw 100"}})
	}
	answer, _ := use(t, session, "why", map[string]any{"full": true})
	if got := strings.Count(answer, "bank awaits vault.transfer: "); got != 10 || !strings.Contains(answer, "\nand more than 10 others\n") {
		t.Errorf("with 11 open calls, why lists %d:\n%s", got, answer)
	}
}

func TestAScheduleHasAtMostFourMebibytes(t *testing.T) {
	folder := project(t)
	session := connected(t, served(t, folder))
	for size, tooLarge := range map[int64]bool{4 << 20: false, 4<<20 + 1: true} {
		file, err := os.Create(filepath.Join(folder, "large.yaml"))
		if err == nil {
			err = errors.Join(file.Truncate(size), file.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		answer, failed := use(t, session, "replay", map[string]any{"schedule": "large.yaml"})
		if !failed || strings.Contains(answer, "reading the schedule: ") != tooLarge {
			t.Errorf("a file of %d bytes: %s", size, answer)
		}
	}
}

func TestManualPacingIsDrivenByStepsAndRounds(t *testing.T) {
	session := connected(t, served(t, project(t)))
	use(t, session, "deploy", map[string]any{"modules": []string{"counter.wasm"}, "manual": true})
	for _, row := range []struct {
		arguments map[string]any
		says      string
	}{
		{map[string]any{"rounds": 2}, "0 messages\n2021-05-06T"},
		{map[string]any{"steps": 1}, "the round is closed\n"},
		{map[string]any{"advance": "later"}, "later"},
	} {
		if answer, _ := use(t, session, "time", row.arguments); !strings.Contains(answer, row.says) {
			t.Errorf("time %v says\n%s\nwant %s", row.arguments, answer, row.says)
		}
	}
}
