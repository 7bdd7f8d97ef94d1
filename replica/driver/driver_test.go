package driver_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/replicatest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type running struct {
	*driver.Driver
	t    testing.TB
	mu   sync.Mutex
	sent byte
}

func start(t testing.TB, config driver.Config) *running {
	t.Helper()
	r := open(t, config)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// open is start for a driver that the test closes itself.
func open(t testing.TB, config driver.Config) *running {
	t.Helper()
	first := replicatest.First(0)
	config.Network.Start = replicatest.Start
	config.Network.Subnets = []replica.SubnetConfig{{}}
	config.Network = config.Network.Override(state.Overrides{
		Executor: replicatest.NewPuppets(first), Management: replicatest.Manager{First: first},
	})
	d, err := driver.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	return &running{Driver: d, t: t}
}

func id(n int) principal.Principal { return principal.Canister(replicatest.First(0) + uint64(n)) }

func (r *running) message(n int, method, arg string) *replica.Ingress {
	in := &replica.Ingress{
		Receiver: id(n), Effective: id(n), Sender: principal.Anonymous, Method: method, Arg: []byte(arg),
		Expiry: r.View().Time + replica.MaxIngressTTL,
	}
	if method != "run" {
		in.Receiver = principal.Management
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent++
	in.ID = replica.RequestID{r.sent, byte(n)}
	copy(in.ID[2:], arg)
	return in
}

func (r *running) call(ctx context.Context, n int, method, arg string) (string, error) {
	in := r.message(n, method, arg)
	receipt, err := r.Submit(ctx, in)
	if err != nil || receipt.Reject != nil {
		return fmt.Sprint(receipt.Reject), err
	}
	subnet := r.View().SubnetOf(id(n))
	if err := r.Await(ctx, subnet.ID, in.ID); err != nil {
		return "", err
	}
	tree := r.View().Subnet(subnet.ID).Certified().Tree()
	reply, _ := tree.Get(certify.RequestStatusPath(in.ID, "reply")...)
	message, _ := tree.Get(certify.RequestStatusPath(in.ID, "reject_message")...)
	return string(reply.Value()) + string(message.Value()), nil
}

func (r *running) must(n int, method, arg string) string {
	r.t.Helper()
	got, err := r.call(r.t.Context(), n, method, arg)
	if err != nil {
		r.t.Fatalf("%s %d %s: %v", method, n, arg, err)
	}
	return got
}

func (r *running) create(canisters int) {
	r.t.Helper()
	for n := range canisters {
		r.must(n, "create", "1000000000000000")
		r.must(n, "install", fmt.Sprint(n))
	}
}

func TestUpdatesAreAnsweredInAutoMode(t *testing.T) {
	r := start(t, driver.Config{})
	r.create(2)
	if got := r.must(0, "run", "call 1 (reply hello) then (echo)"); got != "hello" {
		t.Errorf("got %q", got)
	}
}

// One turn moves the clock, applies the message and runs the round; the other finds the answer.
func TestAnUpdateOfAnIdleNetworkTakesTwoTurnsOfTheOwnerAndNoHandOver(t *testing.T) {
	r := start(t, driver.Config{})
	r.create(2)
	arrival := r.View().Time + 1_000_000
	in := r.message(0, "run", "call 1 (reply hello) then (echo)")
	turns, handOvers := r.Turns()
	receipt, err := r.SubmitAhead(t.Context(), in, func() (uint64, bool) { return arrival, true })
	if err != nil || receipt.Reject != nil {
		t.Fatal(receipt.Reject, err)
	}
	if err := r.Await(t.Context(), r.View().SubnetOf(id(0)).ID, in.ID); err != nil {
		t.Fatal(err)
	}
	turns2, handOvers2 := r.Turns()
	if turns2-turns != 2 || handOvers2 != handOvers {
		t.Errorf("%d turns and %d hand-overs", turns2-turns, handOvers2-handOvers)
	}
	if now := r.View().Time; now != arrival {
		t.Errorf("the answer is of time %d, and the message arrived at %d", now, arrival)
	}
}

// The turn that submits the message also lists its caller, and the round that follows brings the answer.
func TestAnUpdateThatIsAwaitedAtOnceTakesOneTurnOfTheOwner(t *testing.T) {
	r := start(t, driver.Config{})
	r.create(2)
	in := r.message(0, "run", "call 1 (reply hello) then (echo)")
	turns, handOvers := r.Turns()
	receipt, pending, err := r.SubmitAwaited(t.Context(), in, nil)
	if err != nil || receipt != (replica.Receipt{}) {
		t.Fatal(receipt, err)
	}
	answer, err := pending.Answer(t.Context())
	if err != nil || string(answer.Reply) != "hello" || pending.Subnet != r.View().SubnetOf(id(0)).ID {
		t.Fatalf("%q by subnet %s, %v", answer.Reply, pending.Subnet, err)
	}
	turns2, handOvers2 := r.Turns()
	if turns2-turns != 1 || handOvers2 != handOvers {
		t.Errorf("%d turns and %d hand-overs", turns2-turns, handOvers2-handOvers)
	}
}

func TestACanisterInAnEndlessLoopDelaysNoOthers(t *testing.T) {
	r := start(t, driver.Config{Workers: 2})
	r.create(2)
	if _, err := r.Submit(t.Context(), r.message(0, "run", "forever")); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if got := r.must(1, "run", fmt.Sprintf("reply n%d", i)); got != fmt.Sprintf("n%d", i) {
			t.Fatalf("got %q", got)
		}
	}
}

func TestAClientThatGoesAwayLeavesNothingBehind(t *testing.T) {
	r := start(t, driver.Config{Mode: driver.Manual})
	in := r.message(0, "create", "5")
	if _, err := r.Submit(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	for range 50 {
		go func() { gone <- r.Await(ctx, r.View().Root().ID, in.ID) }()
	}
	for r.Waiters() < 50 {
		if err := r.Do(t.Context(), func(*replica.Network) {}); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	for range 50 {
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("await ended with %v", err)
		}
	}
	for r.Waiters() > 0 {
	}
}

func TestTwoNodesWithDifferentWorkersEndInTheSameState(t *testing.T) {
	hash := func(workers int) (root [32]byte) {
		r := start(t, driver.Config{Mode: driver.Manual, Workers: workers, Network: replica.Config{SliceInstructions: 100_000}})
		for n := range 12 {
			for _, m := range []string{"create", "install"} {
				arg := fmt.Sprint(n)
				if m == "create" {
					arg = "1000000000000000"
				}
				if _, err := r.Submit(t.Context(), r.message(n, m, arg)); err != nil {
					t.Fatal(err)
				}
				r.Round(t.Context())
			}
		}
		for i := range 5 {
			for n := range 12 {
				program := fmt.Sprintf("count spend %d call %d (count reply a) then (count call %d (spend 250000 reply b) then (echo))", n*50_000, (n+1)%12, (n+i)%12)
				if _, err := r.Submit(t.Context(), r.message(n, "run", program)); err != nil {
					t.Fatal(err)
				}
			}
			for range 4 {
				r.Round(t.Context())
			}
		}
		r.Do(t.Context(), func(n *replica.Network) { root = n.RootHash() })
		return root
	}
	one := hash(1)
	for _, workers := range []int{2, 4, 7} {
		if hash(workers) != one {
			t.Errorf("%d workers end in another state than one", workers)
		}
	}
}

func TestClosingWakesAllWaiters(t *testing.T) {
	r := start(t, driver.Config{Mode: driver.Manual})
	in := r.message(0, "create", "5")
	r.Submit(t.Context(), in)
	done := make(chan error)
	go func() { done <- r.Await(context.Background(), r.View().Root().ID, in.ID) }()
	for r.Waiters() == 0 {
	}
	r.Close()
	if err := <-done; !errors.Is(err, driver.ErrClosed) {
		t.Errorf("await ended with %v", err)
	}
	if _, err := r.Submit(t.Context(), r.message(0, "create", "6")); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("submit ended with %v", err)
	}
}

func TestABugStopsTheNodeAndReachesEveryCaller(t *testing.T) {
	d, err := driver.Start(driver.Config{Network: replica.Config{Subnets: []replica.SubnetConfig{{}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Do(t.Context(), func(*replica.Network) { panic("oh") }); !errors.Is(err, driver.ErrClosed) || !strings.Contains(err.Error(), "oh") {
		t.Errorf("got %v", err)
	}
	if err := d.Close(); err == nil {
		t.Error("closing says nothing of the bug")
	}
}

func BenchmarkAnUpdateThroughTheNode(b *testing.B) {
	r := start(b, driver.Config{})
	r.create(1)
	root := r.View().Root().ID
	var sent uint64
	for b.Loop() {
		sent++
		in := &replica.Ingress{Receiver: id(0), Effective: id(0), Method: "run", Arg: []byte("reply x"), Expiry: r.View().Time + replica.MaxIngressTTL}
		in.ID = replica.RequestID{9, byte(sent), byte(sent >> 8), byte(sent >> 16), byte(sent >> 24)}
		if _, err := r.Submit(b.Context(), in); err != nil {
			b.Fatal(err)
		}
		if err := r.Await(b.Context(), root, in.ID); err != nil {
			b.Fatal(err)
		}
	}
}
