package daemon

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
)

// eventLog is a log in JSON that can be read while it is written.
type eventLog struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *eventLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(b)
}

// lines are those about events.
func (l *eventLog) lines(t *testing.T) (events []map[string]any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(l.all.Bytes()) {
		var read struct {
			Message  string         `json:"msg"`
			Instance string         `json:"instance"`
			Event    map[string]any `json:"event"`
		}
		if err := json.Unmarshal(line, &read); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if read.Event != nil {
			read.Event["kind"], read.Event["instance"] = read.Message, read.Instance
			events = append(events, read.Event)
		}
	}
	return events
}

func TestAVerboseLogSaysWhatHappensInTheWordsOfTheVocabulary(t *testing.T) {
	var out eventLog
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	d := started(t, Config{Log: log, Pacing: instance.Manual})
	if _, err := d.Driver().Round(eventually.Context(t)); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	events := out.lines(t)
	if len(events) != 2 {
		t.Fatalf("the log has %d events: %v", len(events), events)
	}
	second := events[1]
	if second["kind"] != "round ended" || second["height"] != 2.0 || second["messages"] != 0.0 || second["sequence"] != 2.0 || second["instance"] != "default" {
		t.Errorf("the second round is logged as %v", second)
	}
}

func TestALogThatIsNotVerboseSaysNoEvents(t *testing.T) {
	var out eventLog
	d := started(t, Config{Log: slog.New(slog.NewJSONHandler(&out, nil)), Pacing: instance.Manual})
	if _, err := d.Driver().Round(eventually.Context(t)); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if events := out.lines(t); len(events) != 0 {
		t.Errorf("the log has %v", events)
	}
}
