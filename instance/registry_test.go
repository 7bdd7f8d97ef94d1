package instance_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/instancetest"
)

// registry is a registry that goes by the machine's clock unless the configuration has another.
func registry(t *testing.T, config instance.Config) *instance.Registry {
	t.Helper()
	if config.Wall == nil {
		config.Wall = time.Now
	}
	config.CacheDir = canistertest.CacheDir(t)
	r := instance.NewRegistry(config)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return r
}

// first is the default instance of a registry of its own, with a pacing. It begins at the time of
// the wall clock, nil for the machine's.
func first(t *testing.T, wall func() time.Time, pacing instance.Pacing) (*instance.Registry, *instance.Instance) {
	t.Helper()
	r := registry(t, instance.Config{Wall: wall})
	if wall == nil {
		wall = time.Now
	}
	return r, made(t, r, &instance.Spec{
		Placement: instance.Placement{Name: instance.Default}, Pacing: pacing, Start: uint64(wall().UnixNano()),
	})
}

// made is an instance that a registry makes.
func made(t *testing.T, r *instance.Registry, spec *instance.Spec) *instance.Instance {
	t.Helper()
	i, err := r.Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestARegistryHasTenThousandInstancesAtMost(t *testing.T) {
	r := registry(t, instance.Config{})
	for n := range 10_000 {
		if _, err := r.Reserve(new(instance.Placement)); err != nil {
			t.Fatalf("instance %d: %v", n+1, err)
		}
	}
	const want = "the daemon has 10000 instances, which is the limit: delete some"
	if name, err := r.Reserve(new(instance.Placement)); err == nil || err.Error() != want {
		t.Errorf("one more: %q, %v, want %q", name, err, want)
	}
}

func TestARegistryKeeps256InstancesOnDiskAtMost(t *testing.T) {
	r := registry(t, instance.Config{StateDir: "/state"})
	for n := range 256 {
		if _, err := r.Reserve(new(instance.Placement)); err != nil {
			t.Fatalf("instance %d: %v", n+1, err)
		}
	}
	const want = "the daemon has 256 instances on disk, which is the limit: delete some, bind this one to a lease, or make it ephemeral"
	if name, err := r.Reserve(new(instance.Placement)); err == nil || err.Error() != want {
		t.Errorf("one more: %q, %v, want %q", name, err, want)
	}
	if _, err := r.Reserve(&instance.Placement{Ephemeral: true}); err != nil {
		t.Errorf("one that is not kept: %v", err)
	}
}

func TestANameHas64BytesAtMost(t *testing.T) {
	for length, want := range map[int]bool{64: true, 65: false} {
		if got := instance.ValidName(strings.Repeat("n", length)); got != want {
			t.Errorf("a name of %d bytes is valid: %t", length, got)
		}
	}
}

func TestAnInstanceRemembersEventsInAnEighthOfItsBudget(t *testing.T) {
	for limit, want := range map[int64]int{201_326_592: 25_165_824, 1 << 40: 32 << 20} {
		if got := instance.EventBytes(budget.New("an instance", limit)); got != want {
			t.Errorf("of %d bytes it remembers events in %d, want %d", limit, got, want)
		}
	}
}

func TestAnInstanceGivesItsBudgetBackWhenItIsDeleted(t *testing.T) {
	all := budget.New("all instances", 1<<30)
	r := registry(t, instance.Config{Memory: func(name string) *budget.Budget { return all.Child(name, 1<<20) }})
	made(t, r, &instance.Spec{Placement: instance.Placement{Name: "x"}}).Budget().Charge(1 << 10)
	if all.Used() < 1<<10 {
		t.Errorf("%d bytes are in use", all.Used())
	}
	if err := r.Delete("x"); err != nil {
		t.Fatal(err)
	}
	if used := all.Used(); used != 0 {
		t.Errorf("%d bytes are in use after it is deleted", used)
	}
}

func TestRatesAreLimitedOnlyWhereThatIsAskedFor(t *testing.T) {
	lax, strict := registry(t, instance.Config{}), registry(t, instance.Config{RateLimits: true})
	free := []replica.SubnetConfig{{NoRateLimits: true}, {}}
	for _, row := range []struct {
		registry *instance.Registry
		spec     instance.Spec
		want     []bool // by subnet: no limits
	}{
		{lax, instance.Spec{}, []bool{true, true}},
		{lax, instance.Spec{RateLimits: true}, []bool{false, false}},
		{lax, instance.Spec{RateLimits: true, Subnets: free}, []bool{true, false}},
		{strict, instance.Spec{}, []bool{false, false}},
		{strict, instance.Spec{Subnets: free}, []bool{true, false}},
	} {
		subnets := row.registry.SubnetsOf(&row.spec)
		for i, want := range row.want {
			if subnets[i].NoRateLimits != want {
				t.Errorf("%+v where limits are the default: %v: subnet %d has none: %v, want %v", row.spec, row.registry == strict, i, subnets[i].NoRateLimits, want)
			}
		}
	}
	if free[1].NoRateLimits {
		t.Error("the caller's subnets were changed")
	}
}

func TestAnInstanceThatPaysForItsMemoryIsSeldomLookedAt(t *testing.T) {
	const n = 20
	r := registry(t, instance.Config{})
	for range n {
		instancetest.Inhabit(t, made(t, r, &instance.Spec{}))
	}
	what := fmt.Sprintf("at most %d of %d instances are looked at within a second", n/5, n)
	eventually.True(t, what, func() bool { return r.Ticks(time.Second) <= n/5 })
}
