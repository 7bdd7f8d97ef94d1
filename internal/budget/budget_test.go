package budget

import (
	"errors"
	"strings"
	"sync"
	"testing"
)

func TestBytesCountInEveryBudgetAbove(t *testing.T) {
	daemon := New("the daemon", 100)
	one, other := daemon.Child("instance one", 60), daemon.Child("instance other", 60)
	for _, c := range []struct {
		in      *Budget
		bytes   int64
		refused string
	}{
		{one, 60, ""}, {one, 1, "instance one"}, {other, 41, "the daemon"}, {other, 40, ""}, {other, 1, "the daemon"},
	} {
		err := c.in.Reserve(c.bytes)
		exceeded, refused := errors.AsType[*Exceeded](err)
		if refused != (c.refused != "") || refused && (exceeded.Name != c.refused || exceeded.Wanted != c.bytes) {
			t.Errorf("%d bytes of %s: %v", c.bytes, c.in.name, err)
		}
	}
	if daemon.Used() != 100 || one.Used() != 60 || other.Used() != 40 {
		t.Errorf("%d bytes are in use, %d and %d", daemon.Used(), one.Used(), other.Used())
	}
	one.Release(60)
	if err := other.Reserve(20); err != nil || daemon.Used() != 60 {
		t.Errorf("%v, %d bytes are in use", err, daemon.Used())
	}
	other.Close()
	if daemon.Used() != 0 {
		t.Errorf("%d bytes are in use after all were given back", daemon.Used())
	}
}

func TestChargesGoAboveTheLimitAndKeepReservationsOut(t *testing.T) {
	daemon := New("the daemon", 100)
	one, other := daemon.Child("instance one", 60), daemon.Child("instance other", 60)
	one.Charge(110)
	if one.Excess() != 50 || other.Excess() != 10 || daemon.Excess() != 10 {
		t.Errorf("the excess is %d, %d and %d", one.Excess(), other.Excess(), daemon.Excess())
	}
	err := other.Reserve(1)
	if err == nil || !strings.Contains(err.Error(), "the daemon is used up: 1 bytes are wanted, and 110 of 100 bytes are in use") {
		t.Error(err)
	}
	one.Charge(-60)
	if err := other.Reserve(1); err != nil || one.Excess() != 0 {
		t.Error(err, one.Excess())
	}
}

func TestANilBudgetHasNoLimit(t *testing.T) {
	var b *Budget
	r := b.NewReservation()
	if err := r.Grow(1 << 62); err != nil || b.Excess() != 0 || b.Used() != 0 {
		t.Error(err, b.Excess(), b.Used())
	}
	r.Release()
	b.Charge(1)
	b.Close()
}

func TestReservationsOfManyGoroutinesNeverGoAboveTheLimit(t *testing.T) {
	daemon := New("the daemon", 1000)
	var all sync.WaitGroup
	for range 8 {
		one := daemon.Child("instance", 700)
		all.Go(func() {
			for range 1000 {
				r := one.NewReservation()
				for r.Grow(90) == nil {
				}
				if r.bytes > 700-700%90 {
					t.Errorf("%d bytes were reserved of 700", r.bytes)
				}
				r.Release()
			}
		})
	}
	all.Wait()
	if daemon.Used() != 0 {
		t.Errorf("%d bytes are left", daemon.Used())
	}
}
