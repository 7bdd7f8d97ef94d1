package control_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

var (
	hostileMessages = flag.Int("hostile", 60, "how many hostile messages each RPC gets")
	hostileSeed     = flag.Uint64("hostile-seed", 1, "what they come from")
)

// hostile makes messages of any type: some fields have valid values, some have values that no client should send, and
// others are empty.
type hostile struct {
	chance *rand.Rand
	good   map[protoreflect.Name][]string // what text fields of a name should have
}

var (
	hostileTexts = []string{
		"x", "../../etc/passwd", "a/b", "ü", "\x00", "none", "-", "NaN", "-1", "1e9", "0x10", "340282366920938463463374607431768211455", "340282366920938463463374607431768211456",
		"aaaaa-aa", "2vxsx-fae", "rwlgt-iiaaa-aaaaa-aaaaa-cai", "127.0.0.1:99999", "[::1", "/dev/null", "*", "%s%n", strings.Repeat("(", 10_000), strings.Repeat("[", 10_000), strings.Repeat("vec ", 5_000),
		`("\u{110000}")`, "(vec { vec { } })", `[{"a":[[[[]]]]}]`, `(func "aaaaa-aa".x)`, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "//////////////////////////////////////////",
	}
	hostileBytes   = []string{"", "\x00", strings.Repeat("\x00", 32), strings.Repeat("\xff", 33), "DIDL", "DIDL\x01\x6d\x00\x01\x00\xff\xff\xff\xff\x0f", "\x00asm\x01\x00\x00\x00", "\x1f\x8b\x08\x00", "canisterd state\n\x00\x00\x00\x01", strings.Repeat("x", 1<<16)}
	hostileNumbers = []uint64{0, 1, 2, 3, 9, 99, 1000, 1001, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1<<63 - 1, 1 << 63, 1<<64 - 1}
)

func pick[T any](h *hostile, from []T) T { return from[h.chance.IntN(len(from))] }

// message is one of a type, with at most depth messages in one another.
func (h *hostile) message(d protoreflect.MessageDescriptor, depth int) *dynamicpb.Message {
	m := dynamicpb.NewMessage(d)
	for n := range d.Fields().Len() {
		f := d.Fields().Get(n)
		switch {
		case f.IsMap() || h.chance.IntN(3) == 0 || f.Message() != nil && depth == 0:
		case f.IsList():
			for range h.chance.IntN(4) {
				m.Mutable(f).List().Append(h.value(f, depth))
			}
		default:
			m.Set(f, h.value(f, depth)) // of a oneof the last stays
		}
	}
	return m
}

func (h *hostile) value(f protoreflect.FieldDescriptor, depth int) protoreflect.Value {
	number := pick(h, hostileNumbers)
	switch f.Kind() {
	case protoreflect.MessageKind:
		return protoreflect.ValueOfMessage(h.message(f.Message(), depth-1))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(h.chance.IntN(2) == 0)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(int32(number)))
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(number))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(int64(number))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(number))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(number)
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(pick(h, hostileBytes)))
	case protoreflect.StringKind:
		if good := h.good[f.Name()]; len(good) > 0 && h.chance.IntN(4) > 0 {
			return protoreflect.ValueOfString(pick(h, good))
		}
		return protoreflect.ValueOfString(pick(h, hostileTexts))
	}
	panic("a field of a kind this does not know: " + f.Kind().String())
}

// sends makes an RPC with some messages and gives how it ends.
func (a *api) sends(ctx context.Context, m protoreflect.MethodDescriptor, messages []*dynamicpb.Message) error {
	stream, err := a.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: m.IsStreamingServer(), ClientStreams: m.IsStreamingClient()},
		"/"+string(m.Parent().FullName())+"/"+string(m.Name()))
	if err != nil {
		return err
	}
	for _, one := range messages {
		if err := stream.SendMsg(one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	for {
		if err := stream.RecvMsg(dynamicpb.NewMessage(m.Output())); errors.Is(err, io.EOF) || err == nil && !m.IsStreamingServer() {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// Whatever a client sends, it hears an answer or a reason, and the daemon goes on.
func TestNoMessageMakesTheDaemonFail(t *testing.T) {
	a := served(t, daemon.Config{Pacing: daemon.Manual, Instances: 4})
	a.still()
	counter, script := a.installed(canistertest.Fixture("ledger"), nil), a.scripted().String()
	must(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Snapshot: "kept"})
	subnet := a.daemon.Subnets()[1].ID.String()
	h := &hostile{rand.New(rand.NewPCG(*hostileSeed, 0)), map[protoreflect.Name][]string{
		"canister_id": {counter, script, subnet}, "callee": {counter, script}, "caller": {counter, script}, "subnet_id": {subnet, "aaaaa-aa"},
		"method": {"record", "run", "total", "query"}, "instance": {""}, "snapshot": {"kept", ""}, "sender": {"", "2vxsx-fae", counter}, "name": {"candid:service", "a", "b"},
		"cycles": {"1000000"}, "lease": {""}, "state_dir": {""}, "http_listen": {"", "127.0.0.1:0"}, "effective_canister_id": {"", counter}, "page_token": {""}, "token": {""}, "resume_token": {""},
		"controllers": {counter, script}, "viewers": {counter}, "principals": {counter, script}, "json": {"[]", `[1,"x"]`}, "text": {"()", `(1, "x")`},
	}}
	for m := range rpcs(t) {
		a.assails(h, m)
	}
}

// rpcs are all RPCs, by service.
func rpcs(t *testing.T) iter.Seq[protoreflect.MethodDescriptor] {
	t.Helper()
	return func(yield func(protoreflect.MethodDescriptor) bool) {
		for _, file := range []string{"calls", "canisters", "clock", "events", "messages", "instances"} {
			described, err := protoregistry.GlobalFiles.FindFileByPath("control/v1/" + file + ".proto")
			if err != nil {
				t.Fatal(err)
			}
			methods := described.Services().Get(0).Methods()
			for n := range methods.Len() {
				if !yield(methods.Get(n)) {
					return
				}
			}
		}
	}
}

// assails sends hostile messages to an RPC.
func (a *api) assails(h *hostile, m protoreflect.MethodDescriptor) {
	a.Helper()
	if m.Name() == "DeleteInstance" {
		h.good["instance"] = []string{"instance-1", "instance-2"}
		defer func() { h.good["instance"] = []string{""} }()
	}
	for range *hostileMessages {
		messages := []*dynamicpb.Message{h.message(m.Input(), 5)}
		for m.IsStreamingClient() && len(messages) < 4 {
			messages = append(messages, h.message(m.Input(), 5))
		}
		err := a.sendsForAWhile(m, messages)
		reason, code := whyOf(err).GetReason(), status.Code(err)
		if reason == "BUG" || reason == "UNEXPECTED" || reason == "" && code != codes.OK && code != codes.Canceled {
			a.Errorf("%s %.500v: %.2000v (%s)", m.Name(), messages, err, reason)
		}
		if bug := a.node().Bug(); bug != nil {
			a.Fatalf("%s %.500v: %v", m.Name(), messages, bug)
		}
	}
}

// sendsForAWhile is sends by a client that leaves after the daemon has answered some other requests: many RPCs have no
// end of their own.
func (a *api) sendsForAWhile(m protoreflect.MethodDescriptor, messages []*dynamicpb.Message) error {
	a.Helper()
	ctx, leave := context.WithCancel(a.ctx)
	defer leave()
	ended := make(chan error, 1)
	go func() { ended <- a.sends(ctx, m, messages) }()
	other := healthv1.NewHealthClient(a.conn)
	for range 20 {
		a.ok(second(other.Check(a.ctx, &healthv1.HealthCheckRequest{})))
		select {
		case err := <-ended:
			return err
		default:
		}
	}
	leave()
	return eventually.Receive(a, "the RPC ends with its client", ended)
}
