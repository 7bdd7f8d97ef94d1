package workqueue_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/workqueue"
	"github.com/canisterd/canisterd/test/campaigntest"
)

// natsServer is a server outside canisterd.
func natsServer(t *testing.T, change func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true}
	o.JetStreamMaxStore = 64 << 30 // a campaign reserves 16 GiB, and by itself a server offers what the disk has
	if change != nil {
		change(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	log := &warnings{}
	s.SetLoggerV2(log, false, false, false)
	t.Cleanup(func() { log.show(t) })
	s.Start()
	if !s.ReadyForConnections(eventually.Limit) {
		t.Fatal("the server does not listen")
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}

// warnings is the log of a server. A test that fails shows it.
type warnings struct {
	mu    sync.Mutex // guards lines
	lines []string
}

func (w *warnings) show(t *testing.T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.Failed() {
		t.Logf("the NATS server says %q", w.lines)
	}
}

func (w *warnings) Warnf(format string, v ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, fmt.Sprintf(format, v...))
}

func (w *warnings) Errorf(format string, v ...any) { w.Warnf(format, v...) }
func (w *warnings) Fatalf(format string, v ...any) { w.Warnf(format, v...) }
func (*warnings) Noticef(string, ...any)           {}
func (*warnings) Debugf(string, ...any)            {}
func (*warnings) Tracef(string, ...any)            {}

// client is a connection of a test.
func client(t *testing.T, url string) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return conn, js
}

// campaignStreams are the streams of campaigns that a server has.
func campaignStreams(t *testing.T, js jetstream.JetStream) (all []string) {
	t.Helper()
	for name := range js.StreamNames(t.Context()).Name() {
		if strings.Contains(name, "canisterd-explore-") {
			all = append(all, name)
		}
	}
	return all
}

func TestTheAssignmentOfAWorkerThatIsGoneGoesToAnother(t *testing.T) {
	t.Parallel()
	c := theft(t, 2, 60)
	want := run(t, c, nil)
	q := begin(t, "embedded://")
	_, js := client(t, q.URL())
	c.Pool = q
	explored := explore(c)
	if err := take(t.Context(), js, 2); err != nil { // by a worker that is never seen again
		t.Fatal(err)
	}
	work(t, q.URL(), 1, theft(t, 2, 60))
	r := <-explored
	if r.err != nil {
		t.Fatal(r.err)
	}
	if got := campaigntest.Text(c, r.report); got != want {
		t.Errorf("with a lost worker\n%s\nwithout\n%s", got, want)
	}
}

// take takes assignments and does nothing with them.
func take(ctx context.Context, js jetstream.JetStream, count int) error {
	for name := range js.StreamNames(ctx).Name() {
		if !strings.HasSuffix(name, "-jobs") {
			continue
		}
		jobs, err := js.Consumer(ctx, name, "workers")
		if err != nil {
			return err
		}
		for range count {
			if _, err := jobs.Next(jetstream.FetchMaxWait(eventually.Limit)); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.New("there is no queue of jobs")
}

func TestGarbageAndDuplicatesChangeNothing(t *testing.T) {
	t.Parallel()
	c := theft(t, 3, 200)
	want := run(t, c, nil)
	q := begin(t, "embedded://")
	conn, js := client(t, q.URL())
	id := strings.TrimSuffix(strings.TrimPrefix(campaignStreams(t, js)[0], "canisterd-explore-"), "-jobs")
	id = strings.TrimSuffix(strings.TrimPrefix(id, "OBJ_canisterd-explore-"), "-results")
	subject := func(part string) string { return "canisterd.explore." + id + "." + part }
	publish := func(subject, assignment, data string) {
		m := nats.NewMsg(subject)
		m.Data = []byte(data)
		if assignment != "" {
			m.Header.Set("Canisterd-Assignment", assignment)
		}
		if err := conn.PublishMsg(m); err != nil {
			t.Error(err)
		}
	}
	for _, assignment := range []string{"", "x", "0", "1", "2", "18446744073709551615"} {
		for _, data := range []string{"", "\x07", "\x07\xff\xff\xff\xff\xff", strings.Repeat("\x07\x01", 3000)} {
			publish(subject("jobs"), assignment, data)
			publish(subject("results"), assignment, data)
		}
	}
	publish("canisterd.explore.join", "", "{")
	publish(subject("alive"), "", `{"protocol":1,"version":"1","slots":-5}`)
	publish(subject("alive"), "", "[]")
	again := 0
	_, err := conn.Subscribe(subject("results"), func(m *nats.Msg) {
		if again++; again < 200 {
			m.Reply = ""
			_ = conn.PublishMsg(m)
		}
	})
	if err == nil {
		err = conn.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	work(t, q.URL(), 2, theft(t, 3, 200))
	if got := run(t, c, q); got != want {
		t.Errorf("with garbage\n%s\nwithout\n%s", got, want)
	}
}

func TestAWorkerOfAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	q := begin(t, "embedded://")
	err := <-workAs(t, q.URL(), &workqueue.Host{Version: "2"})
	if want := "the campaign is run by canisterd 1, and the worker is canisterd 2: use the same version on all computers"; err == nil || err.Error() != want {
		t.Errorf("the worker ended with %v, want %q", err, want)
	}
}

// failing explores with a worker that cannot work, and gives the error.
func failing(t *testing.T, change func(*campaign.Config)) error {
	t.Helper()
	c, far := theft(t, 2, 60), theft(t, 2, 60)
	change(far)
	q := begin(t, "embedded://")
	work(t, q.URL(), 1, far)
	c.Pool = q
	_, err := campaign.Run(c)
	return err
}

func TestAWorkerThatSeesOtherRunsEndsTheExploration(t *testing.T) {
	t.Parallel()
	err := failing(t, func(c *campaign.Config) { c.Setup.Operations = c.Setup.Operations[:1] })
	if err == nil || !strings.Contains(err.Error(), "the FIFO run has other messages here") {
		t.Errorf("the exploration ended with %v", err)
	}
}

func TestABugInAJobEndsTheExplorationAndNotItsProcess(t *testing.T) {
	t.Parallel()
	err := failing(t, func(c *campaign.Config) {
		c.Properties = append(c.Properties, &property.Func{Title: "broken", Holds: func(*harness.Run) error { panic("broken property") }})
	})
	if err == nil || !strings.Contains(err.Error(), "bug: broken property") {
		t.Errorf("the exploration ended with %v", err)
	}
}

func TestAServerThatGoesAwayEndsTheExplorationAndItsWorkers(t *testing.T) {
	t.Parallel()
	s := natsServer(t, nil)
	c := theft(t, 3, 1_000_000)
	q := begin(t, s.ClientURL())
	ended := work(t, s.ClientURL(), 1, theft(t, 3, 10))
	c.Pool = q
	c.Progress = func(r *campaign.Report) {
		if r.Runs > 40 {
			s.Shutdown()
		}
	}
	if _, err := campaign.Run(c); err == nil || !strings.Contains(err.Error(), "is gone, and did not come back within") {
		t.Errorf("the exploration ended with %v", err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "is gone, and did not come back within") {
		t.Errorf("the worker ended with %v", err)
	}
}

func TestServersThatCannotBeUsedAreExplained(t *testing.T) {
	t.Parallel()
	plain := natsServer(t, func(o *server.Options) { o.JetStream = false })
	closed := natsServer(t, func(o *server.Options) { o.Authorization = "right" })
	for url, want := range map[string]string{
		plain.ClientURL(): "runs without JetStream: start it with -js",
		strings.Replace(closed.ClientURL(), "://", "://wrong@", 1): "does not accept the token, or the user and the password, of its URL",
		"nats://127.0.0.1:1":          "the NATS server nats://127.0.0.1:1 cannot be reached",
		"127.0.0.1:4222":              "invalid URL of a NATS server",
		"embedded://127.0.0.1":        "expected HOST:PORT",
		"embedded://127.0.0.1:70000":  "invalid port",
		"embedded://192.0.2.1:4222":   "starting a NATS server",
		"embedded://[::1%none]:4222":  "invalid URL of a NATS server",
		"http://user:secret@[::1]:1/": "cannot be reached",
	} {
		_, err := workqueue.Begin(t.Context(), url, offered)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("at %s the campaign ended with %v, want %q", url, err, want)
		}
	}
}

func TestACampaignLeavesNothingAndRemovesWhatOthersHaveLeft(t *testing.T) {
	t.Parallel()
	s := natsServer(t, func(o *server.Options) { o.MaxPayload = 16 << 10 }) // results take several messages
	_, js := client(t, s.ClientURL())
	for _, part := range []string{"jobs", "results"} {
		if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "canisterd-explore-dead-" + part, Subjects: []string{"canisterd.explore.dead." + part}}); err != nil {
			t.Fatal(err)
		}
	}
	c := theft(t, 3, 200)
	want := run(t, c, nil)
	q, other := begin(t, s.ClientURL()), begin(t, s.ClientURL())
	if left := campaignStreams(t, js); len(left) != 6 || strings.Contains(fmt.Sprint(left), "dead") {
		t.Errorf("with two campaigns the server has %v", left)
	}
	other.Close()
	work(t, s.ClientURL(), 1, theft(t, 3, 200))
	if got := run(t, c, q); got != want {
		t.Errorf("with small messages\n%s\nin one process\n%s", got, want)
	}
	q.Close()
	if left := campaignStreams(t, js); len(left) != 0 {
		t.Errorf("after the campaigns the server has %v", left)
	}
}

func TestAWorkerWorksForOneCampaignAfterTheOther(t *testing.T) {
	t.Parallel()
	s := natsServer(t, nil)
	var digests []string
	far := theft(t, 2, 60)
	workAs(t, s.ClientURL(), &workqueue.Host{Version: "1", Slots: 1, Open: func(_ []byte, digest string, _ func() (io.ReadCloser, error)) (*campaign.Worker, error) {
		digests = append(digests, digest)
		return campaign.NewWorker(far)
	}})
	c := theft(t, 2, 60)
	want := run(t, c, nil)
	for range 2 {
		q := begin(t, s.ClientURL())
		if got := run(t, c, q); got != want {
			t.Errorf("a later campaign reports\n%s\nwant\n%s", got, want)
		}
		q.Close()
	}
	if len(digests) != 2 || digests[0] != digests[1] || digests[0] == "" {
		t.Errorf("the bases of two campaigns have the digests %q", digests)
	}
}
