package control_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// manual is the pacing of instances whose scripts say the same in every run.
var manual = &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL}

// hideTimes masks the wall-clock times of instances, and the random ids of their networks.
func (a *api) hideTimes(all ...*controlv1.Instance) {
	for _, i := range all {
		text := written(i.GetCreated(), "")
		a.mask(text, `"CREATED"`)
		a.mask(i.GetNetworkId(), "NETWORK")
		for _, ancestor := range i.GetAncestors() {
			a.mask(ancestor.GetNetworkId(), "ANCESTOR")
		}
	}
}

func TestInstancesAreMadeListedAndDeleted(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	small := &controlv1.CreateInstanceRequest{
		Instance: "small", Pacing: manual, Seed: []byte("seed"), Outcalls: controlv1.OutcallMode_OUTCALL_MODE_HOLD,
		Subnets: []*controlv1.SubnetSpec{{Kind: controlv1.SubnetKind_SUBNET_KIND_APPLICATION, Nodes: 1, Fees: controlv1.FeeSchedule_FEE_SCHEDULE_FREE}},
	}
	a.note("an instance is made")
	a.hideTimes(call(a, a.instances.CreateInstance, small).GetInstance())
	a.note("two of a name there are not")
	call(a, a.instances.CreateInstance, small)
	a.note("the daemon chooses a name")
	chosen := must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{}).GetInstance()
	call(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: chosen.GetName()})
	a.note("what is open in it is counted for who asks for one, who is told the daemon's version, too")
	a.mask(daemon.Version(), "VERSION")
	call(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "small"})
	a.note("a list goes on after a name")
	call(a, a.instances.ListInstances, &controlv1.ListInstancesRequest{PageToken: "default"})
	a.note("it goes")
	call(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "small"})
	call(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "small"})
	call(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "small"})
	a.note("the default one can go, too, and come again")
	call(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{})
	call(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{})
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "default"})
	if got := must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{}).GetInstance(); got.GetName() != "default" || got.GetUrls()[0] != a.daemon.URL() {
		t.Errorf("the default instance is %v", got)
	}
	a.note("what is bound to a lease goes with it")
	ctx, end := context.WithCancel(a.ctx)
	defer end()
	lease := &controlv1.HoldLeaseRequest{}
	stream, err := a.instances.HoldLease(ctx, lease)
	a.ok(err)
	a.asked(lease)
	held, err := stream.Recv()
	a.ok(err)
	a.mask(held.GetLease(), "LEASE")
	a.answered(held)
	small.Lease = held.GetLease()
	a.hideTimes(call(a, a.instances.CreateInstance, small).GetInstance())
	end()
	a.gone("small")
	a.compare("instances")
}

func TestInstancesAreNotMadeOfWhatTheyCannotBeMadeOf(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	_, taken, _ := strings.Cut(a.daemon.URL(), "://")
	for _, in := range []*controlv1.CreateInstanceRequest{
		{Instance: "Upper"},
		{Instance: strings.Repeat("a", 65)},
		{Seed: make([]byte, 33)},
		{StartTime: timestamppb.New(time.Date(2600, 1, 1, 0, 0, 0, 0, time.UTC))},
		{StartTime: timestamppb.New(time.Unix(-1, 0))},
		{Pacing: &controlv1.Pacing{Mode: 9}},
		{Pacing: &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL, Interval: durationpb.New(time.Second)}},
		{Pacing: &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_INTERVAL, Interval: durationpb.New(time.Microsecond)}},
		{Outcalls: 9},
		{StateDir: "relative"},
		{StateDir: "/dev/null/folder"},
		{HttpListen: "nowhere"},
		{HttpListen: taken},
		{Lease: "none"},
		{SystemCanisters: []string{"icp_token", "sns"}},
		{Subnets: []*controlv1.SubnetSpec{{Kind: 99}}},
		{Subnets: []*controlv1.SubnetSpec{{Nodes: 101}}},
		{Subnets: []*controlv1.SubnetSpec{{Fees: 9}}},
		{Subnets: []*controlv1.SubnetSpec{{SubnetId: "no principal"}}},
		{Subnets: []*controlv1.SubnetSpec{{Admins: []string{"2vxsx-fae"}}}},
		{Subnets: []*controlv1.SubnetSpec{{Fees: controlv1.FeeSchedule_FEE_SCHEDULE_FREE, Admins: []string{"x"}}}},
		{Subnets: []*controlv1.SubnetSpec{{Kind: controlv1.SubnetKind_SUBNET_KIND_II}, {Kind: controlv1.SubnetKind_SUBNET_KIND_II}}},
	} {
		call(a, a.instances.CreateInstance, in)
	}
	if left := must(a, a.instances.ListInstances, &controlv1.ListInstancesRequest{}).GetInstances(); len(left) != 1 {
		t.Errorf("%d instances are left", len(left))
	}
	a.compare("instances_refused")
}

func TestTheLimitsOfNetworksAreListedOnRequest(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	if got := must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{}); len(got.GetLimits()) > 0 || got.GetSpecificationVersion() == "" {
		t.Errorf("version %q, and without a request the limits %v", got.GetSpecificationVersion(), got.GetLimits())
	}
	listed := make(map[string]uint64)
	for _, l := range must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Limits: true}).GetLimits() {
		if l.GetWhat() == "" || l.GetMost() == 0 || listed[l.GetWhat()] != 0 {
			t.Errorf("a limit is empty or listed twice: %v", l)
		}
		listed[l.GetWhat()] = l.GetMost()
	}
	for what, want := range map[string]uint64{"canisters of a subnet": 250_000, "user's message": 2 << 20, "time until a user's message expires": uint64(5 * time.Minute)} {
		if listed[what] != want {
			t.Errorf("the limit of %s is %d, want %d", what, listed[what], want)
		}
	}
}

func TestInstancesAreListedInPages(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	for _, name := range []string{"c", "a", "b"} {
		must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: name})
	}
	var names []string
	in := &controlv1.ListInstancesRequest{PageSize: 3}
	for more := true; more; more = in.GetPageToken() != "" {
		page := must(a, a.instances.ListInstances, in)
		for _, i := range page.GetInstances() {
			names = append(names, i.GetName())
		}
		names = append(names, "|")
		in = &controlv1.ListInstancesRequest{PageSize: 3, PageToken: page.GetNextPageToken()}
	}
	if got := strings.Join(names, " "); got != "a b c | default |" {
		t.Errorf("the pages are %s", got)
	}
	_, err := a.instances.ListInstances(a.ctx, &controlv1.ListInstancesRequest{PageSize: 1001})
	if status.Code(err) != codes.InvalidArgument {
		t.Errorf("a page of 1001: %v", err)
	}
}

func TestAnInstanceCanHaveAnAddressOfItsOwn(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	i := must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "own", HttpListen: "127.0.0.1:0", StateDir: t.TempDir()}).GetInstance()
	urls := i.GetUrls()
	if len(urls) != 2 || urls[1] != a.daemon.URL()+"/instances/own" {
		t.Fatalf("it is at %v", urls)
	}
	for _, url := range urls {
		if code := statusOf(t, url+"/api/v2/status"); code != 200 {
			t.Errorf("%s answers %d", url, code)
		}
	}
	must(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "own"})
	if code := statusOf(t, urls[0]+"/api/v2/status"); code != 0 {
		t.Errorf("after it went its address answers %d", code)
	}
	if code := statusOf(t, urls[1]+"/api/v2/status"); code != 404 {
		t.Errorf("after it went its path answers %d", code)
	}
}

func TestALeaseTakesItsInstancesWithIt(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	ctx, leave := context.WithCancel(a.ctx)
	defer leave()
	stream, err := a.instances.HoldLease(ctx, &controlv1.HoldLeaseRequest{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: name, Lease: first.GetLease()})
	}
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "free"})
	must(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "two"})
	leave()
	a.gone("one")
	if got := must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "free"}).GetInstance(); got.GetLease() != "" {
		t.Errorf("the free instance is %v", got)
	}
	_, err = a.instances.CreateInstance(a.ctx, &controlv1.CreateInstanceRequest{Instance: "late", Lease: first.GetLease()})
	if status.Code(err) != codes.NotFound {
		t.Errorf("an instance with a lease that is over: %v", err)
	}
}

// gone waits until an instance does not exist.
func (a *api) gone(name string) {
	a.Helper()
	eventually.True(a, name+" is gone", func() bool {
		_, err := a.instances.GetInstance(a.ctx, &controlv1.GetInstanceRequest{Instance: name})
		if err != nil && status.Code(err) != codes.NotFound && status.Code(err) != codes.Unavailable { // on its way out
			a.Fatal(err)
		}
		return status.Code(err) == codes.NotFound
	})
}

func TestALeaseEndsWithTheDaemon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, a := bubbled(t)
		closing, begun := context.Background(), time.Now()
		a.leaseEnds(func() error { b.server.Close(closing); return nil })
		if took := time.Since(begun); took != 0 { // a lease is not waited for
			t.Errorf("closing took %s", took)
		}
	})
	a := served(t, daemon.Config{})
	a.leaseEnds(a.daemon.Close)
}

// leaseEnds closes what serves a client, and the client's lease with it.
func (a *api) leaseEnds(end func() error) {
	a.Helper()
	stream, err := a.instances.HoldLease(a.ctx, &controlv1.HoldLeaseRequest{})
	if err != nil {
		a.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		a.Fatal(err)
	}
	if err := end(); err != nil {
		a.Error(err)
	}
	if _, err := stream.Recv(); status.Code(err) != codes.Unavailable || errors.Is(err, io.EOF) {
		a.Errorf("the stream ends with %v", err)
	}
}

func TestTheSameSeedGivesTheSameInstance(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	var made []*controlv1.Instance
	for range 2 {
		i := must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "twin", Seed: []byte{7}, Pacing: manual}).GetInstance()
		must(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "twin"})
		i.Created, i.NetworkId = nil, ""
		made = append(made, i)
	}
	if !proto.Equal(made[0], made[1]) {
		t.Errorf("twins differ: %v and %v", made[0], made[1])
	}
}
