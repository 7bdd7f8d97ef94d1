//go:build unix

package main

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// dataSource is the id of a source of data in a dashboard.
var dataSource = regexp.MustCompile(`"datasource": *\{[^}]*"uid": *"([^"]*)"`)

// TestTheServicesOfDockerComposeFindEachOther reads what Prometheus and Grafana are configured with as they do: addresses
// have to be those of services, and ids those of data sources.
func TestTheServicesOfDockerComposeFindEachOther(t *testing.T) {
	root := mustAbs(t, repository)
	all := services(t, root)
	read := func(name string, into any) {
		t.Helper()
		if err := yaml.Unmarshal([]byte(mustRead(t, root+"/deploy/"+name)), into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	serves := func(who, address string) {
		t.Helper()
		host, port, _ := strings.Cut(address, ":")
		if !slices.ContainsFunc(all[host].Ports, func(p string) bool { return strings.HasSuffix(p, ":"+port) }) {
			t.Errorf("%s asks %s: no service has this name and port", who, address)
		}
	}
	var prometheus struct {
		Scrape []struct {
			HonorLabels bool   `yaml:"honor_labels"`
			Path        string `yaml:"metrics_path"`
			Scheme      string
			Static      []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	read("prometheus.yml", &prometheus)
	if len(prometheus.Scrape) != 1 || len(prometheus.Scrape[0].Static) != 1 {
		t.Fatalf("Prometheus is told %+v", prometheus)
	}
	job := prometheus.Scrape[0]
	if !job.HonorLabels || job.Path != "" || job.Scheme != "" || !slices.Equal(job.Static[0].Targets, []string{"canisterd:4943"}) {
		t.Errorf("Prometheus is told %+v", job)
	}
	serves("Prometheus", job.Static[0].Targets[0])
	canisterd := all["canisterd"]
	if at := slices.Index(canisterd.Command, "--listen"); at < 0 || !strings.HasSuffix(canisterd.Command[at+1], ":4943") {
		t.Errorf("canisterd listens as %q says", canisterd.Command)
	}
	collector, err := url.Parse(canisterd.Command[slices.Index(canisterd.Command, "--otlp-endpoint")+1])
	if _, found := all[collector.Hostname()]; err != nil || !found || collector.Port() != "4318" {
		t.Errorf("spans go to %s, which is not a service: %v", collector, err)
	}
	var sources struct{ Datasources []struct{ UID, URL string } }
	read("grafana/datasources.yml", &sources)
	known := make(map[string]bool)
	for _, s := range sources.Datasources {
		known[s.UID] = true
		serves("Grafana", strings.TrimPrefix(s.URL, "http://"))
	}
	asked := dataSource.FindAllStringSubmatch(mustRead(t, root+"/deploy/grafana/canisterd.json"), -1)
	for _, found := range asked {
		if !known[found[1]] {
			t.Errorf("the dashboard asks data source %q, and Grafana has %v", found[1], known)
		}
	}
	if len(asked) < 20 || len(known) != 2 {
		t.Errorf("the dashboard names %d data sources, and Grafana has %v", len(asked), known)
	}
	var dashboards struct {
		Providers []struct{ Options struct{ Path string } }
	}
	read("grafana/dashboards.yml", &dashboards)
	_, at, _ := strings.Cut(all["grafana"].Volumes[slices.IndexFunc(all["grafana"].Volumes, func(v string) bool { return strings.Contains(v, "canisterd.json:") })], ":")
	if len(dashboards.Providers) != 1 || dashboards.Providers[0].Options.Path != path.Dir(at) {
		t.Errorf("the dashboard is at %s, and Grafana looks in %+v", at, dashboards.Providers)
	}
}
