package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/daemon"
)

func TestTheHistoryIsAsLongAsItsFlagsSay(t *testing.T) {
	for _, c := range []struct {
		flags retentionFlags
		want  daemon.Retention
	}{
		{retentionFlags{}, daemon.Retention{Age: 7 * 24 * time.Hour, RecordBytes: 256 << 20, CheckpointBytes: 1 << 30}},
		{retentionFlags{age: "12h", checkpoints: "8MiB"}, daemon.Retention{Age: 12 * time.Hour, RecordBytes: 256 << 20, CheckpointBytes: 8 << 20}},
		{retentionFlags{age: "0", records: "0"}, daemon.Retention{CheckpointBytes: 1 << 30}},
	} {
		if got, err := c.flags.retention(); err != nil || got != c.want {
			t.Errorf("%+v: %+v, want %+v: %v", c.flags, got, c.want, err)
		}
	}
	for _, flags := range []retentionFlags{{age: "yesterday"}, {records: "much"}, {checkpoints: "-1"}} {
		if got, err := flags.retention(); err == nil {
			t.Errorf("%+v: %+v, want an error", flags, got)
		}
	}
}

func TestANetworkThatIsNotKeptTakesNoHistory(t *testing.T) {
	for flag, value := range map[string]string{"--history-age": "1d", "--history-records": "1MiB", "--history-checkpoints": "1MiB"} {
		var out bytes.Buffer
		if code := run(t.Context(), []string{"start", "--ephemeral", "--listen", "nowhere", flag, value}, &out, &out); code != exitFailed || !strings.Contains(out.String(), "cannot be used with --ephemeral") {
			t.Errorf("start --ephemeral %s: exit code %d: %s", flag, code, &out)
		}
	}
}
