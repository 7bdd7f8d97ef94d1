package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// asFloor makes the binary of the tests the floor of updates over gRPC. Its value is the folder of compiled modules.
const asFloor = "CANISTERD_TEST_FLOOR"

// updatesAlone is the least that an update over gRPC takes: the same messages through a server of grpc-go alone, and the
// update in process.
type updatesAlone struct {
	controlv1.UnimplementedCallsServer
	driver *driver.Driver
}

// Update makes an update without arguments.
func (s updatesAlone) Update(ctx context.Context, in *controlv1.UpdateRequest) (*controlv1.UpdateResponse, error) {
	to, err := principal.Parse(in.GetCall().GetCanisterId())
	if err != nil {
		return nil, err
	}
	method := in.GetCall().GetMethod()
	message := &replica.Ingress{
		ID: s.driver.FreshID(principal.Anonymous, to, method), Sender: principal.Anonymous, Receiver: to, Effective: to,
		Method: method, Arg: []byte("DIDL\x00\x00"), Expiry: s.driver.Time() + replica.MaxIngressTTL, Size: replica.EnvelopeBytes,
	}
	receipt, pending, err := s.driver.SubmitAwaited(ctx, message, nil)
	if err != nil {
		return nil, err
	}
	if receipt != (replica.Receipt{}) {
		return nil, errors.New("the update was not accepted")
	}
	answer, err := pending.Answer(ctx)
	if err != nil {
		return nil, err
	}
	reply := &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: answer.Reply}}
	return &controlv1.UpdateResponse{Outcome: &controlv1.Outcome{
		Answer: &controlv1.Outcome_Reply{Reply: reply}, Instructions: answer.Instructions,
		Time: timestamppb.New(time.Unix(0, int64(answer.Answered))), RequestId: message.ID[:],
	}}, nil
}

// serveFloor runs a daemon, and updatesAlone beside its control API, until the process is told to end.
func serveFloor(cache string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	d, err := daemon.Start(ctx, daemon.Config{Listen: "127.0.0.1:0", CacheDir: cache})
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, d.Close())
	}
	const workers = 64 // as the control API has
	server := grpc.NewServer(grpc.NumStreamWorkers(workers))
	controlv1.RegisterCallsServer(server, updatesAlone{driver: d.Driver()})
	go func() {
		<-ctx.Done()
		server.Stop()
	}()
	err = json.NewEncoder(os.Stdout).Encode(ready{URL: d.URL(), Control: listener.Addr().String()})
	return errors.Join(err, server.Serve(listener), d.Close())
}
