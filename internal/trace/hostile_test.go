package trace_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/textwidth"
	"github.com/canisterd/canisterd/internal/trace"
	"github.com/canisterd/canisterd/replica"
)

// hostile are texts that would break out of a line, a label or a string.
var hostile = []string{
	"a\nb", "\x1b[31mred", "quote\" and 'quote'", "back\\slash", "]}{[;#%%{init: {}}%%", "<script>alert(1)</script>", "end", "as x",
	"p0->>p1: forged", "\u202egnp.exe", "\xff\xfe", "\r\n\t\v\x00", "`math` $$x$$", "&lt;", "wrap: x", strings.Repeat("é", 5000), "",
}

// hostileTree is a tree in which everything that others write is the text.
func hostileTree(text string) *trace.Tree {
	a, b := principal.Canister(1), principal.Canister(2)
	user := replica.Origin{Kind: intercanister.FromIngress, Caller: principal.Anonymous}
	reject := &intercanister.Reject{Code: intercanister.CanisterReject, Error: intercanister.CanisterRejectedMessage, Text: text}
	id := replica.RequestID{1}
	return trace.Build(trace.Root{Request: id}, []replica.Event{
		{Kind: replica.IngressReceived, Canister: a, Request: id, Method: text, Origin: user, Height: 1},
		{Kind: replica.MessageExecuted, Canister: a, Request: id, Method: text, Context: 1, Source: intercanister.SourceIngress, Entry: canister.Update, Origin: user, Height: 2},
		{Kind: replica.Logged, Canister: a, Request: id, Context: 1, Text: text, Height: 2},
		{Kind: replica.CallRegistered, Canister: a, Peer: b, Context: 1, Call: 1, Method: text, Height: 2},
		{
			Kind: replica.MessageExecuted, Canister: b, Peer: a, Context: 2, Call: 1, Method: text, Source: intercanister.SourceRequests, Entry: canister.Update,
			Origin: replica.Origin{Kind: intercanister.FromCanister, Caller: a, Call: 1}, Height: 2, Reject: reject,
		},
		{Kind: replica.Trapped, Canister: b, Peer: a, Context: 2, Call: 1, Source: intercanister.SourceRequests, Text: text, Height: 2},
		{Kind: replica.CallSettled, Canister: a, Peer: b, Context: 1, Call: 1, Reject: reject, Height: 2},
		{Kind: replica.ResponseLate, Canister: a, Call: 1, Reject: reject, Height: 2},
		{Kind: replica.IngressAnswered, Canister: a, Request: id, Method: text, Reject: reject, Height: 3},
	})
}

func TestHostileTextStaysOnItsLineAndInItsLabel(t *testing.T) {
	harmless := hostileTree("x")
	for _, text := range hostile {
		names := func(principal.Principal) string { return text }
		tree := hostileTree(text)
		plain := trace.Text(tree, names)
		lines := strings.Count(trace.Text(harmless, names), "\n") + strings.Count(text, "\n") // a backtrace has lines
		if text == "" {
			lines--
		}
		if got := strings.Count(plain, "\n"); got != lines {
			t.Errorf("%q makes %d lines of text, want %d:\n%s", text, got, lines, plain)
		}
		diagram := trace.Mermaid(tree, names)
		if got, want := strings.Count(diagram, "\n"), strings.Count(trace.Mermaid(harmless, names), "\n"); got != want {
			t.Errorf("%q makes %d lines of diagram, want %d:\n%s", text, got, want, diagram)
		}
		for _, shown := range []string{plain, diagram} {
			for _, r := range shown {
				if r != '\n' && !unicode.IsPrint(r) {
					t.Errorf("%q is shown with character %U", text, r)
				}
			}
			if len(shown) > 20*1024 {
				t.Errorf("%.10q… is shown in %d bytes", text, len(shown))
			}
		}
		for _, special := range []string{"%%", "{", "<", "\"", "`", "$"} {
			if strings.Contains(strings.ReplaceAll(diagram, "<br/>", ""), special) {
				t.Errorf("%q puts %q into the diagram", text, special)
			}
		}
		encoded, err := trace.TraceEvents(tree, names)
		if err != nil {
			t.Fatal(err)
		}
		var decoded struct {
			TraceEvents []map[string]any `json:"traceEvents"`
		}
		if err := json.Unmarshal(encoded, &decoded); err != nil || len(decoded.TraceEvents) < 7 {
			t.Errorf("%q makes JSON of %d events: %v", text, len(decoded.TraceEvents), err)
		}
	}
}

func TestColumnsOfATraceAreAlignedInAnyScript(t *testing.T) {
	for _, text := range []string{"withdraw", "出金する", "🏦", "retire\u0301"} {
		plain := trace.Text(hostileTree(text), nil)
		columns := map[int]bool{}
		for line := range strings.Lines(plain) {
			if before, _, is := strings.Cut(line, "  round "); is && textwidth.Of(strings.TrimRight(before, " ")) <= trace.MaxColumn {
				columns[textwidth.Of(before)] = true
			}
		}
		if len(columns) != 1 {
			t.Errorf("the rounds of %q begin in columns %v:\n%s", text, columns, plain)
		}
	}
}

func TestLongTextIsBrokenWhereADiagramHasRoom(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("word ", 24):   "word word",
		strings.Repeat("é", 100):      strings.Repeat("é", 36) + "<br/>",
		"short":                       ": log: short\n",
		strings.Repeat("<script>", 9): "#60;script#62;#60;",
	} {
		for line := range strings.Lines(trace.Mermaid(hostileTree(text), func(principal.Principal) string { return text })) {
			_, shown, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			for part := range strings.SplitSeq(shown, "<br/>") {
				if n := utf8.RuneCountInString(numbers.ReplaceAllString(part, "x")); n > 64 {
					t.Errorf("%.20q: a line of %d characters: %s", text, n, part)
				}
			}
		}
		if diagram := trace.Mermaid(hostileTree(text), nil); !strings.Contains(diagram, want) {
			t.Errorf("%.20q lacks %q:\n%s", text, want, diagram)
		}
	}
}

func TestATextIsCutAfter240Characters(t *testing.T) {
	for length, want := range map[int]string{240: strings.Repeat("é", 240) + "\n", 241: strings.Repeat("é", 240) + "… (482 bytes)\n"} {
		if plain := trace.Text(hostileTree(strings.Repeat("é", length)), nil); !strings.Contains(plain, "log: "+want) {
			t.Errorf("%d characters are not shown as %q:\n%s", length, want, plain)
		}
	}
}

var numbers = regexp.MustCompile("#[0-9]+;")

func TestWhatManyMembersLeaveBehindIsForgotten(t *testing.T) {
	m := trace.NewMembers(trace.Root{Request: replica.RequestID{1}})
	a := principal.Canister(1)
	if !m.Take(&replica.Event{Kind: replica.MessageExecuted, Canister: a, Request: replica.RequestID{1}, Context: 1}) {
		t.Fatal("the root is not a member")
	}
	belongs := func(call intercanister.CallID) bool {
		return m.Take(&replica.Event{Kind: replica.ResponseLate, Canister: a, Call: call})
	}
	for call := intercanister.CallID(1); call <= 65_537; call++ {
		if !m.Take(&replica.Event{Kind: replica.CallRegistered, Canister: a, Request: replica.RequestID{1}, Context: 1, Call: call}) {
			t.Fatalf("call %d is no member", call)
		}
		if first := call <= 65_536; call > 65_500 && (belongs(1) != first || !belongs(call)) {
			t.Fatalf("after call %d the first call is remembered: %t, the last: %t", call, belongs(1), belongs(call))
		}
	}
}
