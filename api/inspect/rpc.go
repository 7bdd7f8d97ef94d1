package inspect

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/canisterd/canisterd/internal/budget"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Content types of requests. Neither is one that a page may send elsewhere without a preflight.
const (
	unaryType  = "application/json"
	streamType = "application/x-ndjson" // a message of a client stream in each line
)

// services is the package of the control API.
var services = controlv1.File_control_v1_instances_proto.Package()

// method is a method of the control API.
type method struct {
	protoreflect.MethodDescriptor
	path string // as gRPC names it: /package.Service/Method
}

// methodOf finds a method by SERVICE/METHOD.
func methodOf(name string) (m method, err error) {
	service, called, _ := strings.Cut(name, "/")
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(services.Append(protoreflect.Name(service)))
	if err == nil {
		if described, ok := found.(protoreflect.ServiceDescriptor); ok {
			m.MethodDescriptor = described.Methods().ByName(protoreflect.Name(called))
		}
	}
	if m.MethodDescriptor == nil {
		return m, fmt.Errorf("the control API has no method %q", name)
	}
	m.path = fmt.Sprintf("/%s/%s", m.Parent().FullName(), m.Name())
	return m, nil
}

// newMessage makes a message of a type.
func newMessage(of protoreflect.MessageDescriptor) (proto.Message, error) {
	made, err := protoregistry.GlobalTypes.FindMessageByName(of.FullName())
	if err != nil {
		return nil, fmt.Errorf("finding the message %s: %w", of.FullName(), err)
	}
	return made.New().Interface(), nil
}

// serveRPC answers a unary RPC, or one with a client stream.
func (h *Handler) serveRPC(w http.ResponseWriter, r *http.Request, name string) {
	m, err := methodOf(name)
	if err != nil {
		writeError(w, http.StatusNotFound, failure{Code: codeName(codes.Unimplemented), Message: err.Error()})
		return
	}
	want := unaryType
	if m.IsStreamingClient() {
		want = streamType
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case m.IsStreamingServer():
		writeError(w, http.StatusBadRequest, failure{Code: "invalid_argument", Message: name + " answers with a stream: use " + Path + "stream/" + name})
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		writeError(w, http.StatusMethodNotAllowed, failure{Code: "invalid_argument", Message: "RPCs take POST, not " + r.Method})
	case kind != want:
		writeError(w, http.StatusUnsupportedMediaType, failure{Code: "invalid_argument", Message: fmt.Sprintf("%s takes %s, not %q", name, want, kind)})
	default:
		h.answerRPC(w, r, m)
	}
}

// answerRPC passes an RPC on, and sends its answer.
func (h *Handler) answerRPC(w http.ResponseWriter, r *http.Request, m method) {
	memory := h.config.Memory.NewReservation()
	defer memory.Release()
	out, err := newMessage(m.Output())
	if err == nil {
		// A call waits as long as it needs; only the bytes of the answer have to arrive in time.
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Time{}) // a writer without deadlines has none to lift
		defer func() { _ = control.SetWriteDeadline(time.Now().Add(writePatience)) }()
		if m.IsStreamingClient() {
			err = h.sendAll(r, m, out, memory)
		} else {
			err = h.callUnary(r, m, out, memory)
		}
	}
	var body []byte
	if err == nil {
		body, err = answerText(out, memory)
	}
	if err != nil {
		sendFailure(w, err)
		return
	}
	writeJSON(w, http.StatusOK, body)
}

// answerText writes an answer as JSON. It reserves memory for both.
func answerText(out proto.Message, memory *budget.Reservation) ([]byte, error) {
	if err := memory.Grow(int64(proto.Size(out))); err != nil {
		return nil, err
	}
	body, err := toJSON.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("writing the answer as JSON: %w", err)
	}
	return body, memory.Grow(int64(len(body)))
}

// callUnary makes a unary RPC.
func (h *Handler) callUnary(r *http.Request, m method, out proto.Message, memory *budget.Reservation) error {
	in, err := newMessage(m.Input())
	if err != nil {
		return err
	}
	body, err := readBody(r, memory)
	if err != nil {
		return err
	}
	if err := fromJSON(body, in); err != nil {
		return err
	}
	return h.config.Control.Invoke(r.Context(), m.path, in, out, grpc.MaxCallRecvMsgSize(maxAnswer))
}

// sendAll makes an RPC with a client stream: each line of the request is a message.
func (h *Handler) sendAll(r *http.Request, m method, out proto.Message, memory *budget.Reservation) error {
	stream, err := h.config.Control.NewStream(r.Context(), &grpc.StreamDesc{ClientStreams: true}, m.path, grpc.MaxCallRecvMsgSize(maxAnswer))
	if err != nil {
		return err
	}
	lines := bufio.NewReader(r.Body)
	for {
		in, err := newMessage(m.Input())
		if err != nil {
			return err
		}
		line, err := readLine(lines, memory)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = fromJSON(line, in)
		}
		if err != nil {
			return err
		}
		err = stream.SendMsg(in)
		memory.Release()
		if errors.Is(err, io.EOF) {
			break // the answer, below, says why
		}
		if err != nil {
			return err
		}
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	return stream.RecvMsg(out)
}

// toJSON writes answers. Empty fields are written too, so that a page reads lists and numbers without a check.
var toJSON = protojson.MarshalOptions{EmitDefaultValues: true}

// fromJSON reads a message.
func fromJSON(text []byte, into proto.Message) error {
	if err := protojson.Unmarshal(text, into); err != nil {
		return &badRequest{fmt.Sprintf("the message is not a %s: %v", into.ProtoReflect().Descriptor().Name(), err)}
	}
	return nil
}
