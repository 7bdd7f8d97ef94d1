package pocketic

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/internal/budget"
)

// kept is a server with one instance, of which there is nothing but its queue, and the address it is served at.
func kept(t *testing.T, operations map[string]operation) (s *Server, url string) {
	t.Helper()
	s = New(nil, Options{})
	s.entries = append(s.entries, newEntry(0, nil, ""))
	mux := http.NewServeMux()
	for name, do := range operations {
		mux.HandleFunc("POST /{id}/"+name, s.perform("update/"+name, do))
	}
	mux.HandleFunc("GET /read_graph/{label}/{op}", s.readGraph)
	mux.HandleFunc("DELETE /prune_graph/{label}/{op}", s.pruneGraph)
	served := httptest.NewServer(mux)
	t.Cleanup(served.Close)
	return s, served.URL
}

// reply is an answer to a request.
type reply struct {
	Code int
	Body string
}

// ask makes a request; wait is the time its client waits, "" for the default.
func ask(t *testing.T, method, url, wait string) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if wait != "" {
		r.Header.Set(timeoutHeader, wait)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, string(body)}
}

func TestAnOperationThatTakesTooLongIsAskedForLater(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	s, url := kept(t, map[string]operation{"wait": func(context.Context, *entry, []byte) (any, error) {
		close(begun)
		<-goOn
		return "done", nil
	}})
	started := ask(t, "POST", url+"/0/wait", "0")
	if started.Code != http.StatusAccepted {
		t.Fatalf("%d %s", started.Code, started.Body)
	}
	<-begun
	var held ticket
	if err := json.Unmarshal([]byte(started.Body), &held); err != nil {
		t.Fatal(err)
	}
	path := held.StateLabel + "/" + held.OpID
	for _, route := range [][2]string{{"GET", "/read_graph/"}, {"DELETE", "/prune_graph/"}} {
		if w := ask(t, route[0], url+route[1]+path, ""); w.Code != http.StatusNotFound || !strings.Contains(w.Body, "not found") {
			t.Errorf("while it goes on, %s says %d %s", route[1], w.Code, w.Body)
		}
	}
	if state := s.entries[0].state(); !strings.HasPrefix(state, "Busy(StateLabel(") {
		t.Errorf("while it goes on, the instance is %s", state)
	}
	close(goOn)
	for ask(t, "GET", url+"/read_graph/"+path, "").Code == http.StatusNotFound {
	}
	for range 2 {
		if w := ask(t, "GET", url+"/read_graph/"+path, ""); w.Code != http.StatusOK || w.Body != `"done"` {
			t.Errorf("then it is %d %s", w.Code, w.Body)
		}
	}
	if w := ask(t, "DELETE", url+"/prune_graph/"+path, ""); w.Code != http.StatusOK || w.Body != "null" {
		t.Errorf("it is forgotten with %d %s", w.Code, w.Body)
	}
	if w := ask(t, "GET", url+"/read_graph/"+path, ""); w.Code != http.StatusNotFound {
		t.Errorf("then it is %d %s", w.Code, w.Body)
	}
}

func TestOperationsOnAnInstanceRunOneAfterAnother(t *testing.T) {
	var running, most int
	var mu sync.Mutex
	_, url := kept(t, map[string]operation{"add": func(context.Context, *entry, []byte) (any, error) {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		defer func() {
			mu.Lock()
			running--
			mu.Unlock()
		}()
		return nil, nil
	}})
	var clients sync.WaitGroup
	for range 64 {
		clients.Go(func() {
			if w := ask(t, "POST", url+"/0/add", ""); w.Code != http.StatusOK || w.Body != "null" {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	clients.Wait()
	if most != 1 {
		t.Errorf("%d operations ran at once", most)
	}
}

func TestAnOperationThatFailsByABugFailsAlone(t *testing.T) {
	_, url := kept(t, map[string]operation{
		"odd":  func(context.Context, *entry, []byte) (any, error) { panic("odd") },
		"even": func(context.Context, *entry, []byte) (any, error) { return 2, nil },
	})
	if w := ask(t, "POST", url+"/0/odd", ""); w.Code != http.StatusBadRequest || !strings.Contains(w.Body, "by a bug: odd") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := ask(t, "POST", url+"/0/even", ""); w.Code != http.StatusOK || w.Body != "2" {
		t.Errorf("the next is %d %s", w.Code, w.Body)
	}
}

func TestResultsThatNoClientFetchesMakeRoomForOthers(t *testing.T) {
	s := New(nil, Options{Memory: budget.New("clients", 100)})
	end := func(value any) ticket {
		held := s.operations.add(0, "op")
		s.operations.finish(held, s.keep(outcome{value: value}))
		return held
	}
	first, second := end(strings.Repeat("a", 58)), end(strings.Repeat("b", 38)) // with their quotes: all of it
	if s.operations.get(first) == nil || s.operations.get(second) == nil || s.memory.Used() != 100 {
		t.Errorf("two results take %d bytes", s.memory.Used())
	}
	if third := end("c"); s.operations.get(first) != nil || s.operations.get(second) == nil || s.operations.get(third) == nil {
		t.Error("the first result was not dropped for the third")
	}
	if large := s.operations.get(end(strings.Repeat("d", 99))); large == nil || large.err == nil || s.memory.Used() != 0 {
		t.Errorf("a result that is too large is %v, and %d bytes are in use", large, s.memory.Used())
	}
	held := end("e")
	for range maxResults - 1 {
		s.operations.finish(s.operations.add(0, "op"), s.keep(outcome{err: errors.New("no")}))
	}
	if s.operations.get(held) == nil {
		t.Errorf("a result is gone after %d more", maxResults-1)
	}
	if end(nil); s.operations.get(held) != nil {
		t.Errorf("a result is there after %d more", maxResults)
	}
}
