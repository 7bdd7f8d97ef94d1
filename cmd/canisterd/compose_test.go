//go:build unix

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/test/otlptest"
)

// composed is a service of docker-compose.yml.
type composed struct {
	Command     []string
	User        string
	ReadOnly    bool `yaml:"read_only"`
	Tmpfs       []string
	Ports       []string
	Volumes     []string
	Healthcheck struct{ Test []string }
}

// services are the services of docker-compose.yml, by name.
func services(t *testing.T, root string) map[string]composed {
	t.Helper()
	var file struct{ Services map[string]composed }
	if err := yaml.Unmarshal([]byte(mustRead(t, root+"/docker-compose.yml")), &file); err != nil {
		t.Fatal(err)
	}
	return file.Services
}

func TestTheServicesOfDockerComposeAreOpenToThisComputerOnly(t *testing.T) {
	root := mustAbs(t, repository)
	all := services(t, root)
	for _, name := range []string{"canisterd", "prometheus", "jaeger", "grafana"} {
		s := all[name]
		if len(s.Ports) == 0 {
			t.Errorf("%s has no port", name)
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("port %s of %s is open to other computers", port, name)
			}
		}
		for _, volume := range s.Volumes {
			file, at, _ := strings.Cut(volume, ":")
			if name == "canisterd" && file == "state" && slices.Contains(s.Command, at) {
				continue
			}
			if !exists(root+"/"+file) || !strings.HasSuffix(volume, ":ro") {
				t.Errorf("%s has the volume %s: it is not a file of this repository, read-only", name, volume)
			}
		}
	}
	if s := all["canisterd"]; !s.ReadOnly || s.User == "" || strings.HasPrefix(s.User, "0") || len(s.Tmpfs) == 0 {
		t.Errorf("canisterd runs as user %q, with a read-only file system %t and %v", s.User, s.ReadOnly, s.Tmpfs)
	}
}

// compose starts canisterd as a service says, at a free port and with another collector. stop ends it as Docker does.
func compose(t *testing.T, service *composed, collector string) (url string, stop func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append(slices.Clone(service.Command), "--listen", "127.0.0.1:0", "--otlp-endpoint", collector, "--state-dir", filepath.Join(t.TempDir(), "state"))
	d := &background{cmd: exec.Command(self, args...), ended: make(chan error, 1), written: make(chan struct{}, 1)}
	d.cmd.Stdout, d.cmd.Stderr, d.cmd.Env = d, d, []string{asCommand + "=1", "TMPDIR=" + t.TempDir(), "GOCOVERDIR=" + t.TempDir()}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { d.ended <- d.cmd.Wait() }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := <-d.ended; err != nil {
			t.Errorf("canisterd ended with %v:\n%s", err, d.text())
		}
	}
	t.Cleanup(stop)
	for patient := eventually.Context(t); ; {
		if at := listening.FindStringSubmatch(d.text()); at != nil && strings.Contains(d.text(), "ready; stop with") {
			return at[1], stop
		}
		select {
		case <-d.written:
		case err := <-d.ended:
			stopped = true
			t.Fatalf("canisterd ended with %v:\n%s", err, d.text())
		case <-patient.Done():
			t.Fatalf("canisterd is not ready:\n%s", d.text())
		}
	}
}

// fetch is what a URL answers.
func fetch(t *testing.T, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(eventually.Context(t), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %s (%v): %s", url, answer.Status, err, text)
	}
	return string(text)
}

// scrape are the metrics at a URL.
func scrape(t *testing.T, url string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	found, err := parser.TextToMetricFamilies(strings.NewReader(fetch(t, url+"/metrics")))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// mustRun runs a command in this process.
func mustRun(t *testing.T, args ...string) {
	t.Helper()
	var out strings.Builder
	if code := run(eventually.Context(t), args, &out, &out); code != exitOK {
		t.Fatalf("canisterd %s: exit code %d: %s", strings.Join(args, " "), code, &out)
	}
}

func TestDockerComposeShowsMetricsAndTraces(t *testing.T) {
	r := newReader(t)
	r.makeClone()
	r.copyFiles("examples/motoko/*")
	service := services(t, r.repository)["canisterd"]
	collector := otlptest.New(t)
	server := httptest.NewServer(collector)
	t.Cleanup(server.Close)
	url, stop := compose(t, &service, server.URL)
	mustRun(t, append([]string{"--url", url}, service.Healthcheck.Test[2:]...)...)
	r.run("cd examples/motoko")
	mustRun(t, "--url", url, "deploy")
	mustRun(t, "--url", url, "canister", "call", "relay", "pass", `("${greeter}", "Ada")`)
	fetch(t, url+"/api/v2/status")
	before := scrape(t, url)
	mustRun(t, "--url", url, "canister", "call", "relay", "pass", `("${greeter}", "Ada")`)
	checkDashboard(t, mustRead(t, r.repository+"/deploy/grafana/canisterd.json"), before, scrape(t, url))
	stop() // sends the spans that are left
	root, child := collector.Named("pass"), collector.Named("greet")
	if string(child.GetParentSpanId()) != string(root.GetSpanId()) || string(child.GetTraceId()) != string(root.GetTraceId()) || len(root.GetParentSpanId()) != 0 {
		t.Errorf("the call %v is not under its message %v", child, root)
	}
	if resource, _ := collector.Last(); resource["service.name"] != "canisterd" || resource["canisterd.instance"] != "default" {
		t.Errorf("the resource is %v", resource)
	}
}
