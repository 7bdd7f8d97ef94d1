package daemon

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/canisterd/canisterd/daemon/internal/metrics"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
)

// get is what a path of a daemon answers, with headers as name, value, name, value.
func get(t *testing.T, d *Daemon, path string, headers ...string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(eventually.Context(t), http.MethodGet, d.URL()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// scraped are the metrics of a daemon, by name.
func scraped(t *testing.T, d *Daemon) map[string]*dto.MetricFamily {
	t.Helper()
	status, body := get(t, d, "/metrics")
	if status != http.StatusOK {
		t.Fatalf("/metrics answers %d: %s", status, body)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	found, err := parser.TextToMetricFamilies(strings.NewReader(body))
	if err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v %v", problems, err)
	}
	return found
}

// valueOf is the value of a metric with labels, as name, value, name, value; or the number of observations.
func valueOf(t *testing.T, found map[string]*dto.MetricFamily, name string, labels ...string) float64 {
	t.Helper()
	for _, m := range found[name].GetMetric() {
		has := map[string]string{}
		for _, pair := range m.GetLabel() {
			has[pair.GetName()] = pair.GetValue()
		}
		matches := true
		for i := 0; i < len(labels); i += 2 {
			matches = matches && has[labels[i]] == labels[i+1]
		}
		if matches {
			return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	t.Errorf("no metric %s%v", name, labels)
	return -1
}

func TestMetricsCountWhatADaemonDoes(t *testing.T) {
	d := started(t, Config{})
	u := userOf(t, d)
	id := u.deploy(motoko(t, "counter"))
	for range 3 {
		if _, err := u.Call(u.ctx, id, id, "inc", []byte("DIDL\x00\x00")); err != nil {
			t.Fatal(err)
		}
	}
	found := scraped(t, d)
	subnet := d.Subnets()[1].ID.String()
	for _, want := range []struct {
		name   string
		value  float64
		labels []string
	}{
		{"canisterd_instances", 1, nil},
		{"canisterd_messages_total", 3, []string{"instance", "default", "subnet", subnet, "kind", "ingress", "outcome", "done"}},
		{"canisterd_messages_total", 0, []string{"instance", "default", "subnet", subnet, "kind", "ingress", "outcome", "trapped"}},
		{"canisterd_messages_total", 1, []string{"instance", "default", "subnet", subnet, "kind", "installation", "outcome", "done"}},
		{"canisterd_messages_total", 2, []string{"instance", "default", "subnet", subnet, "kind", "management", "outcome", "done"}},
		{"canisterd_canisters", 1, []string{"instance", "default", "subnet", subnet}},
		{"canisterd_futures", 0, []string{"instance", "default", "subnet", subnet}},
		{"canisterd_queue_messages", 0, []string{"instance", "default", "subnet", subnet, "queue", "ready"}},
		{"canisterd_instance_failed", 0, []string{"instance", "default"}},
		{"canisterd_instances_unread", 0, nil},
		{"canisterd_resident_canisters", 1, nil},
		{"canisterd_evictions_total", 0, nil},
		{"canisterd_http_request_duration_seconds", 5, []string{"endpoint", "call", "code", "2xx"}},
	} {
		if got := valueOf(t, found, want.name, want.labels...); got != want.value {
			t.Errorf("%s%v is %v, want %v", want.name, want.labels, got, want.value)
		}
	}
	for name, labels := range map[string][]string{
		"canisterd_rounds_total":                    {"instance", "default"},
		"canisterd_instructions_total":              {"subnet", subnet},
		"canisterd_dirty_pages_total":               {"subnet", subnet},
		"canisterd_canister_memory_bytes":           {"subnet", subnet},
		"canisterd_message_execution_seconds_total": {"subnet", subnet, "kind", "ingress"},
		"canisterd_commit_duration_seconds":         nil,
		"canisterd_checkpoint_bytes":                nil,
		"canisterd_connections":                     nil,
		"canisterd_memory_limit_bytes":              {"budget", "all"},
		"canisterd_instance_memory_limit_bytes":     {"instance", "default"},
		"go_goroutines":                             nil,
		"process_resident_memory_bytes":             nil,
	} {
		if got := valueOf(t, found, name, labels...); got <= 0 {
			t.Errorf("%s%v is %v, want more than 0", name, labels, got)
		}
	}
}

// controlled are the metrics that a daemon has only after requests to the control API, or with a collector of spans.
var controlled = []string{"canisterd_control_request_duration_seconds", "canisterd_trace_spans_total", "canisterd_trace_queue_spans", "canisterd_trace_events_missed_total"}

func TestAScrapeHasEveryMetricWithItsLabels(t *testing.T) {
	d := started(t, Config{StateDir: filepath.Join(t.TempDir(), "state")})
	userOf(t, d).deploy(motoko(t, "counter"))
	found := scraped(t, d)
	for _, f := range metrics.Families() {
		if slices.Contains(controlled, f.Name) {
			continue
		}
		of := found[f.Name]
		if of == nil || !strings.EqualFold(of.GetType().String(), f.Type) || of.GetHelp() != f.Help {
			t.Errorf("%s is %s %q; want %s %q", f.Name, of.GetType(), of.GetHelp(), f.Type, f.Help)
			continue
		}
		var labels []string
		for _, pair := range of.GetMetric()[0].GetLabel() {
			labels = append(labels, pair.GetName())
		}
		want := slices.Sorted(slices.Values(f.Labels))
		if !slices.Equal(labels, want) {
			t.Errorf("%s has the labels %v, want %v", f.Name, labels, want)
		}
	}
	for name := range maps.Keys(found) {
		ours := slices.ContainsFunc(metrics.Families(), func(f metrics.Family) bool { return f.Name == name })
		if strings.HasPrefix(name, "canisterd_") && !ours {
			t.Errorf("%s is not in the table of metrics", name)
		}
	}
}

// scrapedWhole scrapes until no instance was too busy to be read.
func scrapedWhole(t *testing.T, d *Daemon) (found map[string]*dto.MetricFamily) {
	t.Helper()
	eventually.True(t, "a scrape that reads all instances", func() bool {
		found = scraped(t, d)
		return valueOf(t, found, "canisterd_instances_unread") == 0
	})
	return found
}

func TestInstancesThatComeAndGoAreCountedTogether(t *testing.T) {
	d := started(t, Config{})
	lease, end := d.Instances().Lease()
	for i := range 2 {
		made, err := d.Instances().Create(eventually.Context(t), &instance.Spec{
			Placement: instance.Placement{Name: fmt.Sprint("leased-", i), Lease: lease}, Subnets: instance.DefaultSubnets(), Pacing: instance.Pacing{Mode: instance.Manual},
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if _, err := made.Driver().Round(eventually.Context(t)); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := scrapedWhole(t, d)
	if got := valueOf(t, before, "canisterd_rounds_total", "instance", "_other"); got != 22 {
		t.Errorf("two leased instances had %v rounds, want 22", got)
	}
	for _, m := range before["canisterd_rounds_total"].GetMetric() {
		if name := m.GetLabel()[0].GetValue(); strings.HasPrefix(name, "leased") {
			t.Errorf("the leased instance %s has a label of its own", name)
		}
	}
	end()
	after := scrapedWhole(t, d)
	if got := valueOf(t, after, "canisterd_rounds_total", "instance", "_other"); got != 22 {
		t.Errorf("after they ended, they had %v rounds, want 22", got)
	}
	if got := valueOf(t, after, "canisterd_instances"); got != 1 {
		t.Errorf("%v instances, want 1", got)
	}
}

func TestABusyInstanceDoesNotHoldUpAScrape(t *testing.T) {
	t.Parallel() // it waits for two seconds
	d := started(t, Config{})
	scrapedWhole(t, d)
	busy, end := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- d.Driver().Do(eventually.Context(t), func(*replica.Network) {
			close(busy)
			<-end
		})
	}()
	<-busy
	found := scraped(t, d)
	if unread, rounds := valueOf(t, found, "canisterd_instances_unread"), valueOf(t, found, "canisterd_rounds_total"); unread != 1 || rounds < 1 {
		t.Errorf("%v instances were not read, with %v rounds; want 1, as it was before", unread, rounds)
	}
	close(end)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestMetricsAreNotForPagesOfStrangers(t *testing.T) {
	d := started(t, Config{})
	for _, headers := range [][]string{{"Origin", "https://evil.example"}, {"Host", "evil.example"}} {
		if status, body := get(t, d, "/metrics", headers...); status != http.StatusForbidden || !strings.Contains(body, "evil.example") {
			t.Errorf("with %v /metrics answers %d %q", headers, status, body)
		}
	}
	for _, host := range []string{"canisterd:4943", "localhost", "192.168.1.2:4943"} {
		if status, _ := get(t, d, "/metrics", "Host", host); status != http.StatusOK {
			t.Errorf("at host %s /metrics answers %d", host, status)
		}
	}
	id := userOf(t, d).deploy(motoko(t, "counter"))
	if status, body := get(t, d, "/metrics", "Host", id.String()+".localhost"); strings.Contains(body, "canisterd_rounds_total") {
		t.Errorf("on the host of a canister /metrics answers %d %s", status, body)
	}
}

func TestHealthFollowsTheFirstInstance(t *testing.T) {
	d := started(t, Config{})
	if status, _ := get(t, d, "/health"); status != http.StatusNoContent {
		t.Errorf("/health of a daemon that runs answers %d", status)
	}
	if err := d.Driver().Do(eventually.Context(t), func(*replica.Network) { panic("a bug of this test") }); err == nil {
		t.Fatal("the bug was not noticed")
	}
	if status, body := get(t, d, "/health"); status != http.StatusServiceUnavailable || !strings.Contains(body, "default has failed") {
		t.Errorf("/health of a daemon whose instance has failed answers %d %q", status, body)
	}
	if got := valueOf(t, scraped(t, d), "canisterd_instance_failed"); got != 1 {
		t.Errorf("canisterd_instance_failed is %v", got)
	}
}

func TestRequestsOfPathsAreCountedByEndpoint(t *testing.T) {
	d := started(t, Config{})
	for path, want := range map[string]metrics.Endpoint{
		"/api/v2/status":                        metrics.Status,
		"/api/v2/canister/aaaaa-aa/call":        metrics.CallAsync,
		"/api/v3/canister/aaaaa-aa/call":        metrics.Call,
		"/instances/lab/api/v4/canister/x/call": metrics.Call,
		"/api/v3/subnet/x/query":                metrics.Query,
		"/api/v2/canister/aaaaa-aa/read_state":  metrics.ReadState,
		"/api/v2/canister/aaaaa-aa/anything":    metrics.Gateway,
		"/index.html":                           metrics.Gateway,
		"/instances/lab/call":                   metrics.Gateway,
	} {
		if got := d.endpointOf(path); got != want {
			t.Errorf("%s counts as endpoint %d, want %d", path, got, want)
		}
	}
}

func TestObservingARequestAllocatesNothing(t *testing.T) {
	d := started(t, Config{})
	answered := 0
	handler := d.observed(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { answered++ }))
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/api/v2/canister/aaaaa-aa/query", http.NoBody)
	observe := func() {
		handler.ServeHTTP(w, r)
		d.metrics.ObserveControl("Service/Method", false, 1)
	}
	observe() // makes the histograms
	if n := testing.AllocsPerRun(1000, observe); n != 0 || answered < 1000 {
		t.Errorf("observing %d requests allocates %v times each", answered, n)
	}
}
