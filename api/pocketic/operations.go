package pocketic

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/canisterd/canisterd/internal/budget"
)

// timeoutHeader has the number of milliseconds that a client waits for an operation.
const timeoutHeader = "processing-timeout-ms"

// operation runs alone on an instance.
type operation func(ctx context.Context, e *entry, body []byte) (any, error)

// outcome is the outcome of an operation.
type outcome struct {
	value any
	err   error
}

func (o *outcome) send(w http.ResponseWriter) {
	if o.err != nil {
		refuse(w, o.err)
		return
	}
	if pieces, ok := o.value.(streamed); ok {
		pieces.send(w)
		return
	}
	respond(w, http.StatusOK, o.value)
}

// close releases what the value holds.
func (o *outcome) close() {
	if pieces, ok := o.value.(streamed); ok {
		pieces.Close()
	}
}

// ticket identifies an operation in progress. Both parts are opaque to clients, which put them into a path.
type ticket struct {
	StateLabel string `json:"state_label"`
	OpID       string `json:"op_id"`
}

// operations holds the operations whose clients do not wait.
type operations struct {
	mu      sync.Mutex // guards what follows
	counter uint64
	results map[ticket]*keptOutcome // nil while an operation runs
	order   []ticket                // of finished operations, the first one at the front; some were pruned
}

// keptOutcome is the outcome of an operation whose client has a ticket.
type keptOutcome struct {
	outcome
	memory *budget.Reservation
}

// close releases what is kept.
func (k *keptOutcome) close() {
	k.outcome.close()
	k.memory.Release()
}

// add makes a ticket for an operation of an instance.
func (o *operations) add(number int, name string) ticket {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.results == nil {
		o.results = make(map[ticket]*keptOutcome)
	}
	o.counter++
	label := binary.LittleEndian.AppendUint64(nil, o.counter)
	label = binary.LittleEndian.AppendUint64(label, uint64(number))
	t := ticket{base64.URLEncoding.EncodeToString(label), fmt.Sprintf("%s_%d", strings.ReplaceAll(name, "/", "_"), o.counter)}
	o.results[t] = nil
	return t
}

// finish keeps the outcome of an operation, and at most maxResults of all of them.
func (o *operations) finish(t ticket, result *keptOutcome) {
	o.mu.Lock()
	o.results[t] = result
	o.order = append(o.order, t)
	many := len(o.order) > maxResults
	o.mu.Unlock()
	if many {
		o.dropOldest()
	}
}

// dropOldest drops the first of the outcomes that are kept, and returns false if there is none.
func (o *operations) dropOldest() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.order) > 0 {
		oldest := o.order[0]
		o.order = o.order[1:]
		if result := o.results[oldest]; result != nil {
			delete(o.results, oldest)
			result.close()
			return true
		}
	}
	return false
}

// drop removes an operation in progress.
func (o *operations) drop(t ticket) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.results, t)
}

// get returns the outcome of an operation, nil if it is not known yet.
func (o *operations) get(t ticket) *outcome {
	o.mu.Lock()
	defer o.mu.Unlock()
	if result := o.results[t]; result != nil {
		return &result.outcome
	}
	return nil
}

// prune forgets the outcome of an operation, and returns false if it is not known yet.
func (o *operations) prune(t ticket) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	result := o.results[t]
	if result == nil {
		return false
	}
	delete(o.results, t)
	result.close()
	return true
}

// patience returns how long a client waits for an operation.
func patience(r *http.Request) time.Duration {
	if ms, err := strconv.ParseUint(r.Header.Get(timeoutHeader), 10, 32); err == nil {
		return time.Duration(ms) * time.Millisecond
	}
	return defaultPatience
}

// perform runs an operation on an instance after the earlier ones, and answers with its outcome, or with a ticket if
// that takes too long. The operation runs on the goroutine of the request: passing it to another one costs more than
// most operations.
func (s *Server) perform(name string, do operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		e, err := s.find(r)
		if err != nil {
			refuse(w, err)
			return
		}
		memory := s.memory.NewReservation()
		defer memory.Release()
		body, err := s.readBody(r, maxOperationBytes, memory)
		if err != nil {
			refuse(w, err)
			return
		}
		p := &performance{server: s, w: w}
		waiting := time.AfterFunc(patience(r), func() { p.leave(e.number, name) })
		defer waiting.Stop()
		p.finish(e.run(name, do, body))
	}
}

// performance is an operation that a client waits for.
type performance struct {
	server *Server
	w      http.ResponseWriter

	mu     sync.Mutex // guards what follows
	over   bool
	ticket *ticket // nil while the client waits
}

// leave gives the client a ticket, if it still waits.
func (p *performance) leave(number int, name string) {
	t := p.server.operations.add(number, name)
	if !p.hand(t) {
		p.server.operations.drop(t)
	}
}

// hand answers with a ticket and ends the connection, since the goroutine of the request is busy with the operation. It
// returns false if the client has the outcome, or its connection cannot be hijacked: then it keeps waiting.
func (p *performance) hand(t ticket) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return false
	}
	body, err := encode(t)
	if err != nil {
		return false // two texts have a JSON form
	}
	conn, _, err := http.NewResponseController(p.w).Hijack()
	if err != nil {
		return false
	}
	header := p.w.Header().Clone()
	header.Set(contentTypeHeader, typeJSON)
	answer := &http.Response{
		StatusCode: http.StatusAccepted, ProtoMajor: 1, ProtoMinor: 1, Header: header, Close: true,
		ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
	}
	_ = answer.Write(conn) // a client that is gone misses it
	_ = conn.Close()
	p.ticket = &t
	return true
}

// finish sends the outcome to the client, or keeps it for the ticket's owner.
func (p *performance) finish(result outcome) {
	p.mu.Lock()
	p.over = true
	t := p.ticket
	p.mu.Unlock()
	if t != nil {
		p.server.operations.finish(*t, p.server.keep(result))
		return
	}
	defer result.close()
	result.send(p.w)
}

// keep prepares an outcome to be kept: its JSON counts in the budget. If there is no room, that is the outcome.
func (s *Server) keep(result outcome) *keptOutcome {
	k := &keptOutcome{result, s.memory.NewReservation()}
	if _, pieces := result.value.(streamed); pieces || result.err != nil {
		return k
	}
	body, err := encode(result.value)
	if err == nil {
		err = s.grow(k.memory, int64(len(body)))
	}
	k.value, k.err = json.RawMessage(body), err
	return k
}

// readGraph serves GET /read_graph/{label}/{op}: the outcome of an operation.
func (s *Server) readGraph(w http.ResponseWriter, r *http.Request) {
	t, ok := ticketOf(w, r)
	if !ok {
		return
	}
	if result := s.operations.get(t); result != nil {
		result.send(w)
		return
	}
	unknownTicket(w, t)
}

// pruneGraph serves DELETE /prune_graph/{label}/{op}: it forgets the outcome.
func (s *Server) pruneGraph(w http.ResponseWriter, r *http.Request) {
	t, ok := ticketOf(w, r)
	if !ok {
		return
	}
	if !s.operations.prune(t) {
		unknownTicket(w, t)
		return
	}
	respond(w, http.StatusOK, nil)
}

// ticketOf returns the ticket in a path.
func ticketOf(w http.ResponseWriter, r *http.Request) (ticket, bool) {
	t := ticket{r.PathValue("label"), r.PathValue("op")}
	if _, err := base64.URLEncoding.DecodeString(t.StateLabel); err != nil {
		respond(w, http.StatusBadRequest, message{"invalid state_label"})
		return t, false
	}
	return t, true
}

func unknownTicket(w http.ResponseWriter, t ticket) {
	respond(w, http.StatusNotFound, message{fmt.Sprintf("state_label / op_id not found: %s (base64) / %s", t.StateLabel, t.OpID)})
}
