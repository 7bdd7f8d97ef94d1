package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// resumeField is the field of requests and answers with the place in a stream.
const resumeField = "resume_token"

// streams are the RPCs that are served as streams. They change nothing, except that a lease exists as long as its stream:
// a stream has no header of the page, which EventSource cannot send.
var streams = []string{"Events/Watch", "Canisters/ReadLogs", "Instances/HoldLease", "Instances/ExportInstance"}

// explore is the RPC that is served as a stream to a request with the header of the page: it takes all processors for as
// long as its stream exists. It changes nothing.
const explore = "Explorer/Explore"

// serveStream answers an RPC with a server stream as server-sent events. The request is the query's field request, as
// JSON. An event without a name is a message; the event "failed" has an error and is the last one; "ended" is the last
// one of a stream that has ended.
//
// A stream with resume tokens has them as event ids, so that a browser that reconnects continues where it was.
//
// An exploration is the answer to a POST with its request, and ends when the browser leaves: nothing begins it again.
func (h *Handler) serveStream(w http.ResponseWriter, r *http.Request, name string) {
	m, err := methodOf(name)
	switch {
	case err == nil && !m.IsStreamingServer():
		err = fmt.Errorf("%s does not answer with a stream: use %srpc/%s", name, Path, name)
	case err == nil && name != explore && !slices.Contains(streams, name):
		err = fmt.Errorf("%s is not a stream of the inspector: it has %s and %s", name, strings.Join(streams, ", "), explore)
	}
	if err != nil {
		writeError(w, http.StatusNotFound, failure{Code: codeName(codes.Unimplemented), Message: err.Error()})
		return
	}
	if name == explore {
		h.serveExploration(w, r, m)
		return
	}
	if r.Method != http.MethodGet {
		refuseMethod(w, r, http.MethodGet)
		return
	}
	in, err := newMessage(m.Input())
	if err == nil {
		err = fromJSON([]byte(r.URL.Query().Get("request")), in)
	}
	if err == nil {
		resume(in, r.Header.Get("Last-Event-Id"))
		err = h.follow(w, r, m, in)
	}
	if err != nil {
		sendFailure(w, err)
	}
}

// refuseMethod answers a request for a stream with another method than it takes.
func refuseMethod(w http.ResponseWriter, r *http.Request, takes string) {
	w.Header().Set("Allow", takes)
	writeError(w, http.StatusMethodNotAllowed, failure{Code: "invalid_argument", Message: "this stream takes " + takes + ", not " + r.Method})
}

// serveExploration answers with the progress and the report of an exploration, of which there are at most maxExplorations
// at a time.
func (h *Handler) serveExploration(w http.ResponseWriter, r *http.Request, m method) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		refuseMethod(w, r, http.MethodPost)
		return
	case r.Header.Get(pageHeader) == "":
		refuseForeign(w)
		return
	case kind != unaryType:
		writeError(w, http.StatusUnsupportedMediaType, failure{Code: "invalid_argument", Message: fmt.Sprintf("%s takes %s, not %q", explore, unaryType, kind)})
		return
	}
	select {
	case h.explorations <- struct{}{}:
		defer func() { <-h.explorations }()
	default:
		sendFailure(w, status.Errorf(codes.ResourceExhausted, "%d explorations are running in browsers, which is the limit: cancel one of them", maxExplorations))
		return
	}
	memory := h.config.Memory.NewReservation()
	defer memory.Release()
	in, err := newMessage(m.Input())
	var body []byte
	if err == nil {
		body, err = readBody(r, memory)
	}
	if err == nil {
		err = fromJSON(body, in)
	}
	if err == nil {
		err = h.follow(w, r, m, in)
	}
	if err != nil {
		sendFailure(w, err)
	}
}

// resume makes a request continue after the event that a browser received last, if its method can.
func resume(in proto.Message, last string) {
	field := in.ProtoReflect().Descriptor().Fields().ByName(resumeField)
	if last != "" && field != nil {
		in.ProtoReflect().Set(field, protoreflect.ValueOfString(last))
	}
}

// received is a message of a stream, or its end.
type received struct {
	message proto.Message
	err     error // io.EOF at the end
	units   int   // read-ahead units that it holds until the browser has it
}

// unitsOf returns how many read-ahead units a message holds, at most all of them.
func unitsOf(message proto.Message) int { return min(1+proto.Size(message)/aheadUnit, maxAhead) }

// follow sends the messages of an RPC until either side ends it. An error is returned only before the first byte.
func (h *Handler) follow(w http.ResponseWriter, r *http.Request, m method, in proto.Message) error {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	stream, err := h.config.Control.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, m.path, grpc.MaxCallRecvMsgSize(maxAnswer))
	if err != nil {
		return err
	}
	if err := errors.Join(stream.SendMsg(in), stream.CloseSend()); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	messages, room := make(chan received, maxAhead), make(chan struct{}, maxAhead)
	go receive(ctx, stream, m, messages, room)
	e := &eventWriter{writer: w, control: http.NewResponseController(w)}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	e.flush()
	ping := time.NewTicker(pingInterval)
	defer ping.Stop()
	var due <-chan time.Time // when what was written is sent; nil: nothing was written
	for e.err == nil {
		select {
		case one := <-messages:
			if one.err != nil {
				e.end(one.err)
				return nil
			}
			e.send(one.message)
			for range one.units {
				<-room
			}
			if due == nil {
				due = time.After(gatherTime)
			}
		case <-due:
			e.flush()
			due = nil
		case <-ping.C:
			e.comment()
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// receive reads the messages of a stream into a channel until its end or that of the context. It waits until there is
// room for a message.
func receive(ctx context.Context, stream grpc.ClientStream, m method, to chan<- received, room chan<- struct{}) {
	for {
		out, err := newMessage(m.Output())
		if err == nil {
			err = stream.RecvMsg(out)
		}
		one := received{message: out, err: err}
		if err == nil {
			one.units = unitsOf(out)
		}
		for range one.units {
			select {
			case room <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
		select {
		case to <- one:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// eventWriter writes server-sent events. After an error, which is that the browser is gone, it writes nothing more.
type eventWriter struct {
	writer  io.Writer
	control *http.ResponseController
	allowed time.Time // when the write deadline was set
	err     error
}

// allow sets the write deadline, unless it was set lately: that takes longer than to write an event.
func (e *eventWriter) allow() {
	now := time.Now()
	if e.err != nil || now.Sub(e.allowed) < writePatience/8 {
		return
	}
	e.allowed = now
	if err := e.control.SetWriteDeadline(now.Add(writePatience)); !errors.Is(err, http.ErrNotSupported) {
		e.err = err
	}
}

// write writes a part of an event.
func (e *eventWriter) write(format string, args ...any) {
	e.allow()
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.writer, format, args...)
	}
}

// flush sends what was written.
func (e *eventWriter) flush() {
	if e.err == nil {
		e.err = e.control.Flush()
	}
}

// send writes a message, with its resume token as the id.
func (e *eventWriter) send(message proto.Message) {
	body, err := protojson.Marshal(message) // without empty fields: there may be thousands of events
	if err != nil {
		e.end(fmt.Errorf("writing the answer as JSON: %w", err))
		e.err = err
		return
	}
	reflected := message.ProtoReflect()
	if field := reflected.Descriptor().Fields().ByName(resumeField); field != nil {
		e.write("id: %s\n", reflected.Get(field).String())
	}
	e.write("data: %s\n\n", body)
}

// comment sends a line that browsers ignore.
func (e *eventWriter) comment() {
	e.write(":\n\n")
	e.flush()
}

// end sends the last event.
func (e *eventWriter) end(err error) {
	if errors.Is(err, io.EOF) {
		e.write("event: ended\ndata: {}\n\n")
	} else {
		e.write("event: failed\ndata: %s\n\n", failureOf(err).json())
	}
	e.flush()
}
