package control_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

// leaseholder is the environment variable with the daemon's address that makes this
// program a client with a lease, to be killed.
const leaseholder = "CONTROL_TEST_LEASEHOLDER"

func TestMain(m *testing.M) {
	if address := os.Getenv(leaseholder); address != "" {
		if err := holdLease(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1) // it should have been killed
	}
	os.Exit(canistertest.Main(m))
}

// holdLease makes an instance that is bound to this process, says so, and waits.
func holdLease(address string) error {
	c, err := remote.Dial(address)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), eventually.Limit)
	defer cancel()
	lease, err := c.HoldLease(ctx)
	if err != nil {
		return err
	}
	if _, err := c.Instances.CreateInstance(ctx, &controlv1.CreateInstanceRequest{Instance: "bound", Lease: lease.ID()}); err != nil {
		return err
	}
	fmt.Println("held")
	<-lease.Lost()
	return errors.New("the lease was lost")
}

func TestAClientThatIsKilledLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	client := exec.CommandContext(a.ctx, self)
	client.Env = append(os.Environ(), leaseholder+"="+a.daemon.ControlAddress())
	client.Stderr = os.Stderr
	out, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "held\n" {
		t.Fatalf("the client says %q (%v)", line, err)
	}
	must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "bound"})
	if err := client.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = client.Wait() // it was killed
	a.gone("bound")
}

// cable is a connection that passes bytes until it is cut: then it passes none, and neither end is told.
type cable struct {
	net.Conn
	cut chan struct{}
}

// Read passes what the other end writes.
func (c cable) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		if err != nil || !c.isCut() {
			return n, err
		}
	}
}

// Write passes bytes to the other end.
func (c cable) Write(b []byte) (int, error) {
	if c.isCut() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c cable) isCut() bool {
	select {
	case <-c.cut:
		return true
	default:
		return false
	}
}

func TestAClientThatCannotBeReachedLosesItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, a := bubbled(t)
		cut := make(chan struct{})
		far := b.client(grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			conn, err := b.listener.DialContext(ctx)
			return cable{conn, cut}, err
		}))
		stream, err := far.instances.HoldLease(far.ctx, &controlv1.HoldLeaseRequest{})
		if err != nil {
			t.Fatal(err)
		}
		first, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		must(far, far.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "far", Lease: first.GetLease()})
		for range 2 { // it lasts as long as the client can be reached
			if next, err := stream.Recv(); err != nil || next.GetLease() != "" || next.GetUntilNext().AsDuration() != 20*time.Second {
				t.Fatalf("%v (%v)", next, err)
			}
		}
		must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "far"})
		close(cut)
		time.Sleep(9 * time.Second)
		must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "far"})
		time.Sleep(11 * time.Second) // it is asked for a sign of life after ten seconds, and has ten more
		synctest.Wait()
		if err := second(a.instances.GetInstance(a.ctx, &controlv1.GetInstanceRequest{Instance: "far"})); status.Code(err) != codes.NotFound {
			t.Errorf("after twenty seconds: %v", err)
		}
	})
}

func TestClientsMakeAndDeleteInstancesSideBySide(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	const clients, turns = 4, 10
	var all sync.WaitGroup
	var mu sync.Mutex
	made := 0
	for n := range clients {
		c := connected(t, a.daemon)
		all.Go(func() {
			for range turns {
				_, err := c.instances.CreateInstance(c.ctx, &controlv1.CreateInstanceRequest{Instance: "contested"})
				switch status.Code(err) {
				case codes.OK:
					mu.Lock()
					made++
					mu.Unlock()
					must(c, c.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "contested"})
				case codes.AlreadyExists:
				default:
					t.Error(err)
				}
				own := fmt.Sprintf("own-%d", n)
				must(c, c.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: own})
				must(c, c.instances.ForkInstance, &controlv1.ForkInstanceRequest{Instance: own, Name: own + "-fork"})
				must(c, c.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: own})
				must(c, c.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: own + "-fork"})
			}
		})
	}
	all.Wait()
	if made == 0 {
		t.Error("no client made the contested instance")
	}
	if left := must(a, a.instances.ListInstances, &controlv1.ListInstancesRequest{}).GetInstances(); len(left) != 1 {
		t.Errorf("%d instances are left", len(left))
	}
}

func TestABusyInstanceIsWaitedForAsLongAsTheCallerLikes(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "busy"})
	i, err := a.daemon.Instances().Instance("busy")
	if err != nil {
		t.Fatal(err)
	}
	begun, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() { done <- i.Driver().Do(t.Context(), func(*replica.Network) { close(begun); <-release }) }()
	<-begun
	for want, end := range map[codes.Code]func(context.Context) (context.Context, context.CancelFunc){
		codes.DeadlineExceeded: untilToldLate,
		codes.Canceled:         context.WithCancel,
	} {
		ctx, leave := end(a.ctx)
		described := make(chan error, 1)
		go func() {
			described <- second(a.instances.GetInstance(ctx, &controlv1.GetInstanceRequest{Instance: "busy"}))
		}()
		for range 10 { // others have their own
			must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{})
		}
		select {
		case err := <-described:
			t.Errorf("a busy instance is described with %v before its caller leaves", err)
		default:
			leave()
			if err := eventually.Receive(t, "its caller leaves", described); status.Code(err) != want {
				t.Errorf("a busy instance is described with %v, want %s", err, want)
			}
		}
		leave()
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "busy"})
}

func TestAnInstanceThatFailsLeavesTheOthersRunning(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "odd"})
	must(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Instance: "odd", Snapshot: "even"})
	i, err := a.daemon.Instances().Instance("odd")
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Driver().Do(a.ctx, func(*replica.Network) { panic("a bug for the test") }); err == nil {
		t.Fatal("a bug is no error")
	}
	got := must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "odd"}).GetInstance()
	if got.GetState() != controlv1.InstanceState_INSTANCE_STATE_FAILED || !strings.Contains(got.GetFailure(), "a bug for the test") {
		t.Errorf("it is %s: %s", got.GetState(), got.GetFailure())
	}
	_, err = a.clock.RunRounds(a.ctx, &controlv1.RunRoundsRequest{Instance: "odd"})
	if status.Code(err) != codes.Unavailable {
		t.Errorf("a round of it: %v", err)
	}
	if code := statusOf(t, a.daemon.URL()+"/instances/default/api/v2/status"); code != 200 {
		t.Errorf("the default instance answers %d", code)
	}
	// Its snapshots are there still.
	must(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Instance: "odd", Snapshot: "even", Name: "whole"})
	must(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "odd"})
	must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "whole"})
}
