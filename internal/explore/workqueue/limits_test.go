package workqueue_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/workqueue"
)

// jobsOf is the name of the stream of jobs of the only campaign of a server.
func jobsOf(t *testing.T, js jetstream.JetStream) string {
	t.Helper()
	for _, name := range campaignStreams(t, js) {
		if strings.HasSuffix(name, "-jobs") {
			return name
		}
	}
	t.Fatal("there is no queue of jobs")
	return ""
}

func TestTheServerOfAnExplorationIsLimited(t *testing.T) {
	t.Parallel()
	q := begin(t, "embedded://")
	conn, js := client(t, q.URL())
	if got := conn.MaxPayload(); got != 8<<20 {
		t.Errorf("a message has up to %d bytes", got)
	}
	jobs := jobsOf(t, js)
	id := strings.TrimSuffix(jobs, "-jobs")
	for name, want := range map[string]int64{jobs: 256 << 20, id + "-results": 256 << 20, "OBJ_" + id: 16 << 30} {
		s, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.CachedInfo().Config.MaxBytes; got != want {
			t.Errorf("stream %s has up to %d bytes, want %d", name, got, want)
		}
	}
	c, err := js.Consumer(t.Context(), jobs, "workers")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.CachedInfo().Config.AckWait; got != 2*time.Second {
		t.Errorf("an assignment is given to another worker after %s", got)
	}
	if _, err := nats.Connect(strings.Replace(q.URL(), "://", "://x", 1)); err == nil {
		t.Error("the server takes any token")
	}
}

func TestTheWorkersOfAnExplorationAreLimited(t *testing.T) {
	t.Parallel()
	q := begin(t, "embedded://")
	conn, _ := client(t, q.URL())
	refused := 0
	for i := range 258 {
		m, err := conn.Request("canisterd.explore.join", fmt.Appendf(nil, `{"protocol":1,"version":"1","worker":"%d","slots":2000}`, i), eventually.Limit)
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Refusal string `json:"refusal"`
		}
		if err := json.Unmarshal(m.Data, &answer); err != nil {
			t.Fatal(err)
		}
		if answer.Refusal == "the campaign has 256 workers already, which is the limit" {
			refused++
		}
	}
	if count, slots := q.Workers(); refused != 2 || count != 256 || slots != 256*1024 {
		t.Errorf("%d workers are refused; %d are there, with %d slots", refused, count, slots)
	}
}

func TestResultsThatCannotBeReadEndTheExplorationAfterSomeAttempts(t *testing.T) {
	t.Parallel()
	q := begin(t, "embedded://")
	conn, js := client(t, q.URL())
	name := jobsOf(t, js)
	jobs, err := js.Consumer(t.Context(), name, "workers")
	if err != nil {
		t.Fatal(err)
	}
	subject := "canisterd.explore." + strings.TrimSuffix(strings.TrimPrefix(name, "canisterd-explore-"), "-jobs") + ".results"
	consumed, err := jobs.Consume(func(m jetstream.Msg) {
		out := nats.NewMsg(subject)
		out.Header.Set("Canisterd-Assignment", m.Headers().Get("Canisterd-Assignment"))
		out.Data = []byte("garbage")
		_ = conn.PublishMsg(out)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer consumed.Stop()
	c := theft(t, 2, 60)
	c.Pool = q
	if _, err := campaign.Run(c); err == nil || !strings.Contains(err.Error(), "5 workers have given results that cannot be read") {
		t.Errorf("the exploration ended with %v", err)
	}
}

func TestAServerWithLittleStorageIsUsedAsFarAsItGoes(t *testing.T) {
	t.Parallel()
	for room, want := range map[int64]int64{3 << 30: 2 << 30, 100 << 20: 64 << 20} {
		s := natsServer(t, func(o *server.Options) { o.JetStreamMaxStore = room })
		q := begin(t, s.ClientURL())
		_, js := client(t, q.URL())
		stream, err := js.Stream(t.Context(), "OBJ_"+strings.TrimSuffix(jobsOf(t, js), "-jobs"))
		if err != nil {
			t.Fatal(err)
		}
		if got := stream.CachedInfo().Config.MaxBytes; got != want {
			t.Errorf("of a server with %d bytes %d are reserved, want %d", room, got, want)
		}
	}
	s := natsServer(t, func(o *server.Options) { o.JetStreamMaxStore = 60 << 20 })
	if q, err := workqueue.Begin(t.Context(), s.ClientURL(), offered); err == nil || !strings.Contains(err.Error(), "insufficient storage resources available") {
		t.Errorf("a server with 60 MiB: %v", err)
		q.Close()
	}
}
