package control_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/canister/canistertest"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
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
	ctx, cancel := context.WithTimeout(context.Background(), patience)
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

// cable passes bytes between a client and a daemon until it is cut: then it passes
// none, and neither end is told.
type cable struct {
	listener net.Listener
	to       string
	cut      chan struct{}
	running  sync.WaitGroup
}

func plugged(t *testing.T, to string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{listener: l, to: to, cut: make(chan struct{})}
	c.running.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				return
			}
			t.Cleanup(func() { near.Close(); far.Close() })
			c.running.Go(func() { c.pass(near, far) })
			c.running.Go(func() { c.pass(far, near) })
		}
	})
	t.Cleanup(func() { l.Close() })
	return c
}

func (c *cable) pass(from io.Reader, to io.Writer) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		select {
		case <-c.cut:
			continue
		default:
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func TestAClientThatCannotBeReachedLosesItsLease(t *testing.T) {
	a := served(t, daemon.Config{Control: daemon.Control{KeepAlive: time.Second}})
	c := plugged(t, a.daemon.ControlAddress())
	far := dialed(t, a.daemon, c.listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
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
		if next, err := stream.Recv(); err != nil || next.GetLease() != "" || next.GetUntilNext().AsDuration() != 2*time.Second {
			t.Fatalf("%v (%v)", next, err)
		}
	}
	must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "far"})
	close(c.cut)
	begun := time.Now()
	a.gone("far")
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("it lasted for %s", took)
	}
}

func TestClientsMakeAndDeleteInstancesSideBySide(t *testing.T) {
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
	a := served(t, daemon.Config{})
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "busy"})
	i, err := a.daemon.Instances().Instance("busy")
	if err != nil {
		t.Fatal(err)
	}
	begun, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() { done <- i.Node().Do(t.Context(), func(*replica.Network) { close(begun); <-release }) }()
	<-begun
	for want, end := range map[codes.Code]func(context.Context) (context.Context, context.CancelFunc){
		codes.DeadlineExceeded: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Millisecond)
		},
		codes.Canceled: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(50*time.Millisecond, cancel)
			return ctx, cancel
		},
	} {
		ctx, cancel := end(a.ctx)
		if _, err := a.instances.GetInstance(ctx, &controlv1.GetInstanceRequest{Instance: "busy"}); status.Code(err) != want {
			t.Errorf("a busy instance is described with %v, want %s", err, want)
		}
		cancel()
	}
	// Others have their own.
	must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{})
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: "busy"})
}

func TestAnInstanceThatFailsLeavesTheOthersRunning(t *testing.T) {
	a := served(t, daemon.Config{})
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "odd"})
	must(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Instance: "odd", Snapshot: "even"})
	i, err := a.daemon.Instances().Instance("odd")
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Node().Do(a.ctx, func(*replica.Network) { panic("a bug for the test") }); err == nil {
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
