package remote

import (
	"testing"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func TestTextsOfCanistersDoNotReachTheTerminalAsCommands(t *testing.T) {
	text := "trapped: \x1b]0;title\a\x1b[2J\r\u202eolleh\u200b\x00 \"quoted\" \\ \tπ\nCanister Backtrace:"
	const want = `rejected with code 5 (IC0503): trapped: \x1b]0;title\a\x1b[2J\r\u202eolleh\u200b\x00 "quoted" \ ` + "\tπ\nCanister Backtrace:"
	if got := (&Reject{&controlv1.Reject{Code: 5, ErrorCode: "IC0503", Text: text}}).Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (&Reject{&controlv1.Reject{Code: 4, Text: "\x1b"}}).Summary(); got != `rejected with code 4: \x1b` {
		t.Errorf("%q", got)
	}
}
