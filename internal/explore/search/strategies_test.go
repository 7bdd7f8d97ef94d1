package search_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/search"
)

// strategies are all that draw orders.
var strategies = []search.Strategy{
	search.Random(), search.POS(), search.PCT(1), search.PCT(2), search.PCT(3), search.SURW(), search.Delays(2), search.Mixed(),
}

// profile is that of the FIFO run of a program.
func profile(p *program) *search.Profile {
	profiler := &search.Profiler{Picker: search.FIFO}
	search.Drive(p.start(), profiler, 1000)
	return &profiler.Profile
}

// drawn is one run of a strategy.
func drawn(p *program, s search.Strategy, seed uint64) *run {
	r := p.start()
	search.Drive(r, s.Begin(rand.New(rand.NewPCG(1, seed)), profile(p)), 1000)
	return r
}

func TestStrategiesDrawTheSameOrderForTheSameSeed(t *testing.T) {
	for _, s := range strategies {
		for seed := range uint64(20) {
			one, two := drawn(withdrawals(3), s, seed), drawn(withdrawals(3), s, seed)
			if !slices.Equal(one.order, two.order) || len(one.order) != 9 {
				t.Errorf("%s: %v and %v", s.Name, one.order, two.order)
			}
		}
	}
}

func TestStrategiesReachTheClassesOfASmallProgram(t *testing.T) {
	// Priorities without changes keep operations apart, one change lets them meet once, two delays do not reorder all.
	most := map[string]int{"pct-1": 2, "pct-2": 4, "delays-2": 2}
	for _, s := range strategies {
		classes := map[string]bool{}
		for seed := range uint64(500) {
			classes[drawn(withdrawals(2), s, seed).class()] = true
		}
		want := 6
		if few, limited := most[s.Name]; limited {
			want = few
		}
		if len(classes) < want {
			t.Errorf("%s reaches %d of 6 classes, want %d", s.Name, len(classes), want)
		}
	}
}

func TestPrioritiesKeepWholeOperationsApart(t *testing.T) {
	p := withdrawals(5)
	apart := func(s search.Strategy) (count int) {
		for seed := range uint64(400) {
			order := drawn(p, s, seed).order
			at := slices.Index(order, "op1")
			if at+2 < len(order) && order[at+1] == "op1/1.request" && order[at+2] == "op1/1.reply" {
				count++
			}
		}
		return count
	}
	if priorities, random := apart(search.PCT(1)), apart(search.Random()); priorities < 3*random {
		t.Errorf("the first operation runs in one piece in %d of 400 runs with priorities, in %d at random", priorities, random)
	}
}

func TestWeightedTasksAreNearerToAUniformChoiceOfOrders(t *testing.T) {
	// One operation with many awaits, one with none: at random the short one is nearly always early.
	p := &program{
		operations: []string{"bank.long", "bank.short"},
		calls:      map[string][]string{"bank.long": {"v.a", "v.a", "v.a", "v.a", "v.a", "v.a"}},
	}
	last := func(s search.Strategy) (count int) {
		for seed := range uint64(1000) {
			order := drawn(p, s, seed).order
			if slices.Index(order, "op2") > slices.Index(order, "op1/5.reply") {
				count++
			}
		}
		return count
	}
	if weighted, random := last(search.SURW()), last(search.Random()); weighted < 150 || random > 50 {
		t.Errorf("the short operation comes late in %d of 1000 runs by weight, in %d at random", weighted, random)
	}
}

func TestARecordedOrderIsFollowedExactly(t *testing.T) {
	for name, p := range programs {
		for seed := range uint64(100) {
			r := p.start()
			recorder := search.Record(search.Random().Begin(rand.New(rand.NewPCG(3, seed)), nil))
			search.Drive(r, recorder, 1000)
			again := p.start()
			follow := search.Follow(recorder.Constraints)
			search.Drive(again, follow, 1000)
			if !slices.Equal(r.order, again.order) || len(follow.Unmet()) > 0 {
				t.Fatalf("%s: recorded %v, followed %v with %v; unmet: %v", name, r.order, again.order, recorder.Constraints, follow.Unmet())
			}
		}
	}
}

func TestARunBeginsWithTheNamedMovesAsFarAsTheyCome(t *testing.T) {
	begins := []string{"op2", "op2/1.request", "op3", "op2/1.reply"}
	r := withdrawals(2).start()
	search.Drive(r, search.Begun(begins, search.FIFO), 1000)
	if want := []string{"op2", "op2/1.request", "op1", "op2/1.reply", "op1/1.request", "op1/1.reply"}; !slices.Equal(r.order, want) {
		t.Errorf("where op3 is missing, the order is %v, want %v", r.order, want)
	}
	if r = withdrawals(2).start(); !search.Drive(r, search.Begun(nil, search.FIFO), 1000) || r.order[0] != "op1" {
		t.Errorf("without names, the order is %v", r.order)
	}
}

func TestConstraintsOfMissingMovesAreDropped(t *testing.T) {
	r := withdrawals(2).start()
	follow := search.Follow([]search.Before{{First: "op3", Later: "op1"}, {First: "op2/1.reply", Later: "op1/1.reply"}})
	if !search.Drive(r, follow, 1000) {
		t.Fatal("the run is not over")
	}
	if slices.Index(r.order, "op2/1.reply") > slices.Index(r.order, "op1/1.reply") {
		t.Errorf("the constraint that can be met is not: %v", r.order)
	}
	if unmet := follow.Unmet(); len(unmet) != 1 || unmet[0].First != "op3" {
		t.Errorf("unmet are %v", unmet)
	}
}

func TestASerialRunDoesOneTaskAfterTheOther(t *testing.T) {
	r := withdrawals(3).start()
	search.Drive(r, search.Serial([]string{"op2", "op3", "op1"}), 1000)
	want := []string{"op2", "op2/1.request", "op2/1.reply", "op3", "op3/1.request", "op3/1.reply", "op1", "op1/1.request", "op1/1.reply"}
	if !slices.Equal(r.order, want) {
		t.Errorf("the order is %v", r.order)
	}
}

func TestDelaysPassOverTheFirstMove(t *testing.T) {
	r := withdrawals(2).start()
	search.Drive(r, search.DelaysAt([]int{0}), 1000)
	if r.order[0] != "op2" {
		t.Errorf("the order is %v", r.order)
	}
}
