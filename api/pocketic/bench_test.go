package pocketic_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// BenchmarkRatioAnInstanceOfPocketIC makes and deletes an instance of one application subnet, as a suite does for each
// test, and compares that with two requests that do nothing.
func BenchmarkRatioAnInstanceOfPocketIC(b *testing.B) {
	compareInstances(b, 8, "/instances", `{"subnet_config_set":{"application":[{"state_config":"New","instruction_config":"Production"}]}}`)
}

// BenchmarkRatioAForkOfPocketIC makes and deletes a fork in the same way.
func BenchmarkRatioAForkOfPocketIC(b *testing.B) {
	compareInstances(b, 8, "/canisterd/fork_of/0/instances", "")
}

// compareInstances compares an instance that is made and deleted with two requests that do nothing.
func compareInstances(b *testing.B, limit float64, route, config string) {
	b.Helper()
	d, err := daemon.Start(b.Context(), daemon.Config{Listen: "127.0.0.1:0", PocketIC: true, CacheDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	ask := func(method, path, body string) string {
		request, err := http.NewRequestWithContext(b.Context(), method, d.URL()+path, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			b.Fatal(err)
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode >= http.StatusBadRequest {
			b.Fatalf("%s %s: %d %s (%v)", method, path, response.StatusCode, answer, err)
		}
		return string(answer)
	}
	ask(http.MethodPost, "/instances", `{"subnet_config_set":{"application":[{}]}}`)
	ratio.Compare(b, limit, ratio.Each(func() {
		number, _, _ := strings.Cut(strings.TrimPrefix(ask(http.MethodPost, route, config), `{"Created":{"instance_id":`), ",")
		ask(http.MethodDelete, "/instances/"+number, "")
	}), ratio.Each(func() {
		ask(http.MethodGet, "/status", "")
		ask(http.MethodGet, "/status", "")
	}))
}
