package explore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/component"
	"github.com/canisterd/canisterd/component/explore"
)

// compiled gives a component of testdata.
func compiled(t testing.TB, name string) *component.Component {
	t.Helper()
	binary, err := os.ReadFile("../testdata/valid/" + name + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	c, err := component.Compile(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

// program makes an instance for each run.
func program(c *component.Component, use func(ctx context.Context, i *component.Instance, run *explore.Run) error) explore.Program {
	return func(ctx context.Context, run *explore.Run) error {
		i, err := c.Instantiate(ctx, nil, component.WithScheduler(run))
		if err != nil {
			return err
		}
		return errors.Join(use(ctx, i, run), i.Close(ctx))
	}
}

// both starts two calls and waits for them.
func both(ctx context.Context, i *component.Instance, first, second string) error {
	one, err := i.Start(ctx, first)
	if err != nil {
		return err
	}
	two, err := i.Start(ctx, second)
	if err != nil {
		return err
	}
	if _, err := two.Wait(ctx); err != nil {
		return err
	}
	_, err = one.Wait(ctx)
	return err
}

// bought buys something, and checks that no money is lost.
func bought(ctx context.Context, i *component.Instance, buy string) error {
	if _, err := i.Call(ctx, buy); err != nil {
		return err
	}
	total, err := i.Call(ctx, "bank#total")
	if err == nil && total != uint32(100) {
		err = fmt.Errorf("the bank has %d, want 100", total)
	}
	return err
}

// The bugs of races.wat: the function with the bug and the one without.
var bugs = map[string]struct {
	broken, healthy string
	use             func(ctx context.Context, i *component.Instance, function string) error
	want            string
}{
	"a lost wake-up": {"flag#wait", "flag#wait-checked", func(ctx context.Context, i *component.Instance, function string) error {
		return both(ctx, i, function, "flag#wake")
	}, "wasm trap: deadlock detected: event loop cannot make further progress"},
	"a deadlock of streams": {"tokens#take", "tokens#take-ordered", func(ctx context.Context, i *component.Instance, function string) error {
		_, err := i.Call(ctx, function)
		return err
	}, "wasm trap: deadlock detected: event loop cannot make further progress"},
	"a race of a cancellation": {"shop#buy", "shop#buy-back", bought, "the bank has 99, want 100"},
}

func TestSeededBugsAreFoundWithShortSchedulesAndTheirTwinsAreSilent(t *testing.T) {
	c := compiled(t, "races")
	for name, bug := range bugs {
		t.Run(name, func(t *testing.T) {
			of := func(function string) explore.Program {
				return program(c, func(ctx context.Context, i *component.Instance, _ *explore.Run) error {
					return bug.use(ctx, i, function)
				})
			}
			report, err := explore.Explore(t.Context(), of(bug.broken), explore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Log(report)
			if len(report.Findings) != 1 || !report.Complete {
				t.Fatalf("%d findings, want one", len(report.Findings))
			}
			found := report.Findings[0]
			if !strings.HasPrefix(found.Err.Error(), bug.want) {
				t.Errorf("%v, want %s", found.Err, bug.want)
			}
			if n := len(found.Schedule.Deviations); n < 1 || n > 2 {
				t.Errorf("the schedule has %d choices, want one or two", n)
			}
			if err := explore.Replay(t.Context(), of(bug.broken), found.Schedule); err == nil || err.Error() != found.Err.Error() {
				t.Errorf("the replay: %v", err)
			}
			healthy, err := explore.Explore(t.Context(), of(bug.healthy), explore.Options{})
			if err != nil || len(healthy.Findings) > 0 || !healthy.Complete {
				t.Errorf("the twin: %v, %v", healthy, err)
			}
			t.Log(healthy)
		})
	}
}

// The program is testdata/rust-async: it asks its host for three prices at once.
func TestAHostAnswersAComponentInRustInEveryOrder(t *testing.T) {
	desk := compiled(t, "desk")
	orders := map[string]bool{}
	report, err := explore.Explore(t.Context(), func(ctx context.Context, run *explore.Run) error {
		var open []*component.Completion
		var names []string
		price := component.AsyncFunc(func(_ context.Context, args []any, done *component.Completion) {
			open, names = append(open, done), append(names, args[0].(string))
		})
		i, err := desk.Instantiate(ctx, component.Imports{"example:desk/market": component.Imports{"price": price}}, component.WithScheduler(run))
		if err != nil {
			return err
		}
		defer func() { _ = i.Close(ctx) }()
		quote, err := i.Start(ctx, "example:desk/counter#quote", []any{"tea", "milk", "sugar"})
		if err != nil {
			return err
		}
		order := ""
		for len(open) > 0 {
			at := run.Pick("the price that comes next", len(open))
			order += names[at] + " "
			open[at].Return(component.Variant{Case: 0, Payload: uint64(len(names[at]))})
			open, names = slices.Delete(open, at, at+1), slices.Delete(names, at, at+1)
			if err := i.Settle(ctx); err != nil {
				return err
			}
		}
		orders[order] = true
		if sum, err := quote.Wait(ctx); err != nil || sum != (component.Variant{Case: 0, Payload: uint64(12)}) {
			return fmt.Errorf("%v, %w, want 12", sum, err)
		}
		return nil
	}, explore.Options{})
	if err != nil || !report.Complete || len(report.Findings) > 0 || len(orders) != 6 {
		t.Errorf("%v, %v: %d orders, want 6", report, err, len(orders))
	}
	t.Log(report)
}
