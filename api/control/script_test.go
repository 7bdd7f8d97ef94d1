package control_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/golden"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest"
)

// api is a real daemon with a client of each service, over a real connection. What
// is asked through call and the like is written down, to be compared with a file.
type api struct {
	*testing.T
	daemon    *daemon.Daemon // nil in a bubble
	registry  *instance.Registry
	conn      *grpc.ClientConn
	ctx       context.Context
	instances controlv1.InstancesClient
	canisters controlv1.CanistersClient
	calls     controlv1.CallsClient
	clock     controlv1.ClockClient
	messages  controlv1.MessagesClient
	events    controlv1.EventsClient
	explorer  controlv1.ExplorerClient
	profiler  controlv1.ProfilerClient
	coverage  controlv1.CoverageClient

	text  strings.Builder
	masks []string // pairs: what differs from run to run, and what to write instead
}

// served starts a daemon on any free port and connects to it.
func served(t *testing.T, config daemon.Config) *api {
	t.Helper()
	config.Listen, config.CacheDir = "127.0.0.1:0", canistertest.CacheDir(t)
	if config.Seed == nil {
		config.Seed = []byte{0} // golden answers have ids
	}
	d, err := daemon.Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("closing the daemon: %v", err)
		}
	})
	a := connected(t, d)
	a.mask(strings.TrimPrefix(d.URL(), "http://"), "DAEMON")
	return a
}

// connected is one more client of a daemon.
func connected(t *testing.T, d *daemon.Daemon, options ...grpc.DialOption) *api {
	t.Helper()
	return dialed(t, d, strings.TrimPrefix(d.URL(), "http://"), append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
}

func dialed(t *testing.T, d *daemon.Daemon, target string, options ...grpc.DialOption) *api {
	t.Helper()
	a := clientOf(t, d.Instances(), target, options...)
	a.daemon = d
	return a
}

// clientOf is a client of a server of a registry.
func clientOf(t *testing.T, registry *instance.Registry, target string, options ...grpc.DialOption) *api {
	t.Helper()
	conn, err := grpc.NewClient(target, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &api{
		T: t, registry: registry, conn: conn, ctx: eventually.Context(t),
		instances: controlv1.NewInstancesClient(conn), canisters: controlv1.NewCanistersClient(conn), calls: controlv1.NewCallsClient(conn),
		clock: controlv1.NewClockClient(conn), messages: controlv1.NewMessagesClient(conn), events: controlv1.NewEventsClient(conn),
		explorer: controlv1.NewExplorerClient(conn), profiler: controlv1.NewProfilerClient(conn), coverage: controlv1.NewCoverageClient(conn),
	}
}

// driver is the owner of the default instance's network.
func (a *api) node() *driver.Driver {
	a.Helper()
	if a.daemon != nil {
		return a.daemon.Driver() // also once it is deleted
	}
	found, err := a.registry.Instance(instance.Default)
	if err != nil {
		a.Fatal(err)
	}
	return found.Driver()
}

// mask writes something else for what differs from run to run.
func (a *api) mask(what, instead string) {
	if what != "" {
		a.masks = append(a.masks, what, instead)
	}
}

// note writes a line between calls.
func (a *api) note(format string, args ...any) { fmt.Fprintf(&a.text, "# "+format+"\n", args...) }

// call makes a unary RPC and writes down the request and the result; out is nil after an error.
func call[I, O proto.Message](a *api, method func(context.Context, I, ...grpc.CallOption) (O, error), in I) (out O) {
	a.Helper()
	return callWith(a, a.ctx, method, in)
}

// callWith is call with a context.
func callWith[I, O proto.Message](a *api, ctx context.Context, method func(context.Context, I, ...grpc.CallOption) (O, error), in I) (out O) {
	a.Helper()
	a.asked(in)
	reply, err := method(ctx, in)
	if err != nil {
		a.failed(err)
		return out
	}
	a.answered(reply)
	return reply
}

// must makes a unary RPC that is not written down.
func must[I, O proto.Message](a *api, method func(context.Context, I, ...grpc.CallOption) (O, error), in I) O {
	a.Helper()
	out, err := method(a.ctx, in)
	if err != nil {
		a.Fatalf("%s: %v", nameOf(in), err)
	}
	return out
}

// collect makes an RPC that streams answers and writes down all of them and how the
// stream ends.
func collect[I, O proto.Message, S interface{ Recv() (O, error) }](a *api, method func(context.Context, I, ...grpc.CallOption) (S, error), in I) (all []O) {
	a.Helper()
	a.asked(in)
	stream, err := method(a.ctx, in)
	for err == nil {
		var out O
		if out, err = stream.Recv(); err == nil {
			all = append(all, out)
			a.answered(out)
		}
	}
	if !errors.Is(err, io.EOF) {
		a.failed(err)
	}
	return all
}

func nameOf(in proto.Message) string {
	return strings.TrimSuffix(string(in.ProtoReflect().Descriptor().Name()), "Request")
}

func (a *api) asked(in proto.Message) {
	fmt.Fprintf(&a.text, "> %s %s\n", nameOf(in), written(in, ""))
}

func (a *api) answered(out proto.Message) { fmt.Fprintf(&a.text, "%s\n", written(out, "  ")) }

func (a *api) failed(err error) {
	s := status.Convert(err)
	var why, metadata string
	for _, d := range s.Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			why = " " + info.GetReason()
			if len(info.GetMetadata()) > 0 {
				encoded, err := json.Marshal(info.GetMetadata())
				if err != nil {
					panic(err)
				}
				metadata = " " + string(encoded)
			}
		}
	}
	fmt.Fprintf(&a.text, "! %s%s%s: %s\n", s.Code(), why, metadata, s.Message())
}

// written is a message as JSON whose spaces are the same in every run.
func written(m proto.Message, indent string) string {
	text, err := protojson.Marshal(m)
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	if indent == "" || len(text) < 100 {
		err = json.Compact(&out, text)
	} else {
		err = json.Indent(&out, text, "", indent)
	}
	if err != nil {
		panic(err)
	}
	return out.String()
}

// compare compares what was written down with testdata/NAME.txt.
func (a *api) compare(name string) {
	a.Helper()
	got := strings.NewReplacer(a.masks...).Replace(a.text.String())
	golden.Compare(a, filepath.Join("testdata", name+".txt"), got)
}

// statusOf is the HTTP status of a page, 0 without an answer.
func statusOf(t *testing.T, url string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}
