package control_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

// export is an instance as a file.
func (a *api) export(in *controlv1.ExportInstanceRequest) ([]byte, error) {
	stream, err := a.instances.ExportInstance(a.ctx, in)
	if err != nil {
		return nil, err
	}
	var file []byte
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return file, nil
		}
		if err != nil {
			return nil, err
		}
		if n := len(part.GetChunk()); n == 0 || n > 1<<20 {
			a.Errorf("a chunk of %d bytes", n)
		}
		file = append(file, part.GetChunk()...)
	}
}

// imported makes an instance of a file and writes down the result.
func (a *api) imported(what string, options *controlv1.ImportOptions, file []byte) *controlv1.Instance {
	a.Helper()
	a.note("%s", what)
	a.asked(options)
	stream, err := a.instances.ImportInstance(a.ctx)
	if err != nil {
		a.Fatal(err)
	}
	err = stream.Send(&controlv1.ImportInstanceRequest{Part: &controlv1.ImportInstanceRequest_Options{Options: options}})
	for chunk := range slices.Chunk(file, 3<<20) {
		if err == nil {
			err = stream.Send(&controlv1.ImportInstanceRequest{Part: &controlv1.ImportInstanceRequest_Chunk{Chunk: chunk}})
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		a.Fatal(err)
	}
	out, err := stream.CloseAndRecv()
	if err != nil {
		a.failed(err)
		return nil
	}
	a.hideTimes(out.GetInstance())
	a.answered(out)
	return out.GetInstance()
}

// withoutSubnets is a file whose sums are right, and whose network has no subnets.
func withoutSubnets(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	c := archive.NewWriter(&file)
	c.Section("network", func() {
		var none uint64
		var version string
		c.Fixed(make([]byte, 32))
		archive.Number(c, &none)
		archive.String(c, &version, 100)
		for range 13 { // limits, how many subnets follow and were made, and how many ranges of deleted ones follow
			archive.Number(c, &none)
		}
	})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestTheJournalOfAnInstanceIsExported(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual, StateDir: t.TempDir()})
	a.still()
	id := a.installed(canistertest.Fixture("counter"), nil)
	a.counting("", id)
	file, err := a.export(&controlv1.ExportInstanceRequest{Journal: true})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := daemon.ReplayFile(t.Context(), bytes.NewReader(file), daemon.Config{}, daemon.Traces{Newest: 10}); err != nil || len(r.Traces) != 3 {
		t.Errorf("the replay of the journal: %+v, %v", r, err)
	}
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "memory", Ephemeral: true})
	for reason, in := range map[string]*controlv1.ExportInstanceRequest{
		"BAD_FIELD":  {Journal: true, Snapshot: "one"},
		"NO_HISTORY": {Journal: true, Instance: "memory"},
	} {
		_, err := a.export(in)
		if got, _ := remote.Reason(err); got != reason {
			t.Errorf("%v: %v, want %s", in, err, reason)
		}
	}
}

func TestAnInstanceGoesThroughAFile(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual, Seed: []byte{1, 2, 3}})
	a.still()
	id := a.installed(canistertest.Fixture("counter"), nil)
	a.expect("at first", a.counting("", id), "(1 : nat)")
	must(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Snapshot: "one"})
	a.expect("then", a.counting("", id), "(2 : nat)")
	present, err := a.export(&controlv1.ExportInstanceRequest{})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := a.export(&controlv1.ExportInstanceRequest{Snapshot: "one"})
	if err != nil {
		t.Fatal(err)
	}
	a.imported("the present of an instance, made again", &controlv1.ImportOptions{Instance: "again", Pacing: manual}, present)
	a.expect("in the instance of the file", a.counting("again", id), "(3 : nat)")
	a.expect("in the source", a.counting("", id), "(3 : nat)")
	if a.imported("a snapshot of it", &controlv1.ImportOptions{Instance: "kept", Pacing: manual}, kept) == nil {
		t.Fatal("the snapshot is not imported")
	}
	a.expect("in the instance of the snapshot", a.counting("kept", id), "(2 : nat)")
	again, err := a.export(&controlv1.ExportInstanceRequest{Instance: "kept"})
	if err != nil || bytes.Equal(again, kept) {
		t.Errorf("after a call the file is the same (%v)", err)
	}

	damaged := bytes.Clone(present)
	damaged[60_000] ^= 1
	newer := bytes.Clone(present)
	binary.BigEndian.PutUint32(newer[len("canisterd state\n"):], archive.Version+1)
	a.imported("a file of a newer version of the format", &controlv1.ImportOptions{}, newer)
	a.imported("a file that is damaged", &controlv1.ImportOptions{}, damaged)
	a.imported("a file that is cut off", &controlv1.ImportOptions{}, present[:40_000])
	a.imported("a file without subnets, as nobody has exported", &controlv1.ImportOptions{}, withoutSubnets(t))
	a.imported("something else", &controlv1.ImportOptions{}, []byte("GIF89a and so on and on"))
	a.imported("nothing", &controlv1.ImportOptions{}, nil)
	a.imported("a name that is taken", &controlv1.ImportOptions{Instance: "default"}, present)
	a.imported("a pacing that there is not", &controlv1.ImportOptions{Pacing: &controlv1.Pacing{Mode: 9}}, present)
	a.note("what is not there is not exported")
	collect(a, a.instances.ExportInstance, &controlv1.ExportInstanceRequest{Instance: "none"})
	collect(a, a.instances.ExportInstance, &controlv1.ExportInstanceRequest{Snapshot: "none"})
	a.note("nor is what is in the middle of a round; after it, it is")
	must(a, a.calls.Submit, &controlv1.SubmitRequest{Call: &controlv1.Call{CanisterId: id, Method: "inc"}})
	must(a, a.clock.StepMessage, &controlv1.StepMessageRequest{})
	collect(a, a.instances.ExportInstance, &controlv1.ExportInstanceRequest{})
	must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{})
	if _, err := a.export(&controlv1.ExportInstanceRequest{}); err != nil {
		t.Error(err)
	}
	if left := must(a, a.instances.ListInstances, &controlv1.ListInstancesRequest{}).GetInstances(); len(left) != 3 {
		t.Errorf("%d instances are there", len(left))
	}
	a.compare("instances_file")
}

func TestAnImportThatItsClientGivesUpLeavesNothing(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	file, err := a.export(&controlv1.ExportInstanceRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, parts := range [][]*controlv1.ImportInstanceRequest{
		{},
		{{Part: &controlv1.ImportInstanceRequest_Chunk{Chunk: file}}},
		{
			{Part: &controlv1.ImportInstanceRequest_Options{Options: &controlv1.ImportOptions{}}},
			{Part: &controlv1.ImportInstanceRequest_Chunk{Chunk: file[:10]}},
			{Part: &controlv1.ImportInstanceRequest_Options{Options: &controlv1.ImportOptions{}}},
		},
	} {
		stream, err := a.instances.ImportInstance(a.ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			if err := stream.Send(part); err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
		}
		if _, err := stream.CloseAndRecv(); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%d messages: %v", len(parts), err)
		}
	}
	ctx, leave := context.WithCancel(a.ctx)
	stream, err := a.instances.ImportInstance(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(&controlv1.ImportInstanceRequest{Part: &controlv1.ImportInstanceRequest_Options{Options: &controlv1.ImportOptions{Instance: "half"}}}); err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(&controlv1.ImportInstanceRequest{Part: &controlv1.ImportInstanceRequest_Chunk{Chunk: file[:len(file)/2]}}); err != nil {
		t.Fatal(err)
	}
	leave()
	if _, err := stream.CloseAndRecv(); status.Code(err) != codes.Canceled {
		t.Errorf("an import that was given up: %v", err)
	}
	for { // the name is free as soon as the daemon has noticed
		_, err := a.instances.CreateInstance(a.ctx, &controlv1.CreateInstanceRequest{Instance: "half"})
		if err == nil {
			break
		}
		if status.Code(err) != codes.AlreadyExists {
			t.Fatal(err)
		}
	}
}
