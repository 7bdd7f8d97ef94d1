package metrics

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/canisterd/canisterd/instance"
)

func TestTheFirst100InstancesHaveMetricsUnderTheirNames(t *testing.T) {
	registry := instance.NewRegistry(instance.Config{Wall: time.Now})
	m := New(Sources{})
	named := 0
	for range 120 {
		i, err := registry.Create(t.Context(), &instance.Spec{Pacing: instance.Pacing{Mode: instance.Manual}})
		if err != nil {
			t.Fatal(err)
		}
		m.Begin(i)
		if m.known[i].label == i.Name() {
			named++
		}
	}
	if named != 100 {
		t.Errorf("%d of 120 instances have metrics under their names, want 100", named)
	}
	if err := registry.Close(); err != nil {
		t.Error(err)
	}
}

func TestAFifthScrapeAtOnceIsRefused(t *testing.T) {
	m := New(Sources{})
	status := func() int {
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
		return w.Code
	}
	under := 0
	for ; under < 10; under++ {
		if got := status(); got == http.StatusServiceUnavailable {
			break
		}
		m.scrapes <- struct{}{} // one more is under way
	}
	if under != 4 {
		t.Errorf("beside %d scrapes another is refused, want beside 4", under)
	}
	<-m.scrapes
	if got := status(); got == http.StatusServiceUnavailable {
		t.Error("a scrape is refused beside 3 others")
	}
}
