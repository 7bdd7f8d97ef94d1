package replica_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/model"
)

var (
	messages = flag.Int("messages", 100_000, "how many messages the long run against the model takes")
	first    = flag.Uint64("first", 1, "the seed the long run against the model begins with")
)

// dice are where chance comes from: 0 to n-1.
type dice func(n int) int

func (d dice) among(from ...string) string { return from[d(len(from))] }

// generator makes random programs for the canisters of a twin.
type generator struct {
	dice
	world *model.World
	time  uint64
}

// anybody is the number of some canister: most live, some do not or not yet.
func (p *generator) anybody() model.ID {
	s := p.world.Subnets[p.dice(len(p.world.Subnets))]
	if p.dice(20) == 0 {
		return s.First + model.ID(p.dice(8))
	}
	return s.Some(p.dice)
}

func (p *generator) program(depth int) string {
	var words []string
	for range p.dice(4) {
		switch kind := p.dice(9); {
		case kind == 0:
			words = append(words, "count")
		case kind == 1:
			words = append(words, fmt.Sprintf("spend %d", 1+p.dice(60_000)<<(p.dice(12)/9*p.dice(5))))
		case kind == 2:
			words = append(words, fmt.Sprintf("accept %d", p.dice(900_000)))
		case kind == 3 && p.dice(2) == 0:
			words = append(words, fmt.Sprintf("burn %d", p.dice(1_000_000)))
		case kind == 4 && p.dice(4) == 0:
			words = append(words, fmt.Sprintf("timer %d", p.time+uint64(p.dice(40))*second))
		case depth > 0:
			words = append(words, p.call(depth-1))
		}
	}
	ends := []string{"reply a", "reply bb", "echo", "reject no", "trap end", "reply a", "echo", "", "reply x reply y", "reply a accept 500000", "reject no accept 500000"}
	return strings.Join(append(words, p.among(ends...)), " ")
}

func (p *generator) call(depth int) string {
	var text, body string
	if p.dice(12) == 0 {
		text, body = p.management()
		text = "manage " + text
	} else {
		text, body = fmt.Sprintf("call %d", p.anybody()), p.program(depth)
	}
	if p.dice(2) == 0 {
		text += fmt.Sprintf(" cycles %d", 1+p.dice(1_000_000))
	}
	if p.dice(3) == 0 {
		text += fmt.Sprintf(" within %d", p.dice(1+p.dice(30)))
	}
	text += fmt.Sprintf(" (%s) then (%s) else (%s)", body, p.program(depth), p.program(0))
	if p.dice(3) == 0 {
		text += fmt.Sprintf(" finally (%s)", p.among("count", "burn 7 count", "trap twice", "spend 500"))
	}
	return text
}

// management is a method of the management canister with its argument, as canisters
// call it.
func (p *generator) management() (method, arg string) {
	who := p.anybody()
	switch p.dice(12) {
	case 0, 1, 2:
		return "stop", fmt.Sprint(who)
	case 3, 4:
		return "start", fmt.Sprint(who)
	case 5:
		return "uninstall", fmt.Sprint(who)
	case 6:
		return "delete", fmt.Sprint(who)
	case 7:
		return "install", fmt.Sprintf("%d %s%s", who, p.among("", "wide "), p.program(0))
	case 8:
		return "create", "0"
	default:
		return "deposit", fmt.Sprint(who)
	}
}

// action makes one thing a user does.
func (p *generator) action(i int) action {
	a := action{n: int(p.anybody()), method: "run", rounds: p.dice(3)}
	switch kind := p.dice(60); {
	case kind < 2:
		a.method, a.program = p.among("start", "start", "start", "stop"), fmt.Sprint(a.n)
	case kind == 2:
		a.method, a.program = p.management()
		if a.method != "create" {
			a.n = subject(a.program)
		}
	case kind == 3:
		a.method, a.program = "mint", fmt.Sprintf("%d %d", a.n, 1+p.dice(1_000_000_000_000))
	case kind == 4:
		a.method = "environment"
		a.program = fmt.Sprintf("%d %s %s", a.n, p.among("heartbeat", "timer"), p.program(1))
		if p.dice(2) == 0 {
			a.program = fmt.Sprintf("%d heartbeat", a.n)
		}
	case kind == 5:
		a.method, a.program = p.among("look", "both", "none"), "reply seen"
	case kind == 6 || kind == 8:
		a.advance = uint64(p.dice(40)) * second
		a.program = p.program(2)
	case kind == 7 && p.dice(2) == 0:
		a.advance = uint64(280+p.dice(60)) * second
		a.program = p.program(2)
	default:
		a.program = p.program(3)
	}
	if a.advance > 0 { // messages come in at the time of the last round
		a.rounds = max(1, a.rounds)
	}
	return p.steady(a, i)
}

// subject is the canister a management call is about.
func subject(arg string) (n int) {
	if _, err := fmt.Sscan(arg, &n); err != nil {
		panic(err)
	}
	return n
}

// cast is how many canisters a subnet of a run has.
const cast = 5

// steady keeps the number of canisters what it is, and most of them working.
func (p *generator) steady(a action, i int) action {
	s := p.world.Subnets[i%len(p.world.Subnets)]
	id := s.Some(p.dice)
	does := func(n model.ID, method, program string) action {
		a.n, a.method, a.program = int(n), method, program
		return a
	}
	f, _ := p.world.Observe(id)
	switch n := s.Canisters(); {
	case n < cast:
		return does(s.First+1<<19, "create", fmt.Sprint(p.fortune()))
	case n > cast && i%5 == 0 && f.Status == model.Stopped:
		return does(id, "delete", fmt.Sprint(id))
	case n > cast && i%5 == 0:
		return does(id, "stop", fmt.Sprint(id))
	case i%5 == 1 && f.Balance < 250_000_000_000:
		return does(id, "cycles", fmt.Sprint(p.fortune()))
	case i%5 == 1 && !f.Code:
		return does(id, "install", fmt.Sprintf("%d %sspend %d count", id, p.among("", "wide "), 1+p.dice(60_000)<<p.dice(4)))
	case i%5 == 1 && f.Status == model.Stopped && p.dice(2) == 0:
		return does(id, "start", fmt.Sprint(id))
	}
	return a
}

// fortune is what a new canister gets: enough for most, and next to nothing for some.
func (p *generator) fortune() uint64 {
	if p.dice(4) == 0 {
		return uint64(300_000_000_000 + p.dice(200_000_000_000))
	}
	return plenty
}

// setup is the network that programs run in.
type setup struct {
	config replica.Config
	oracle uint64 // the seed of the order in which steps are made, 0 for whole rounds
}

func (c setup) String() string {
	kinds := make([]string, len(c.config.Subnets))
	for i := range kinds {
		kinds[i] = "application"
		if c.config.Subnets[i].Kind == replica.System {
			kinds[i] = "system"
		}
	}
	text := fmt.Sprintf("network subnets=%s slice=%d messages=%d best-effort=%d",
		strings.Join(kinds, ","), c.config.SliceInstructions, c.config.RoundMessages, c.config.BestEffortMessageBytes)
	if c.oracle != 0 {
		text += fmt.Sprintf("   # the order of steps: seed %d", c.oracle)
	}
	return text
}

func drawSetup(d dice) setup {
	c := setup{config: replica.Config{SliceInstructions: 50_000, Subnets: []replica.SubnetConfig{{Nodes: 13}, {Nodes: 13}}}}
	if d(4) == 0 {
		c.config.RoundMessages = 20 + d(40)
	}
	if d(3) == 0 {
		c.oracle = 1 + uint64(d(1<<30))
	}
	if d(3) == 0 {
		c.config.Subnets[d(len(c.config.Subnets))].Kind = replica.System
	}
	if d(3) == 0 {
		c.config.BestEffortMessageBytes = uint64(150 + d(600))
	}
	return c
}

// run makes the actions that next gives happen, in both worlds; it gives what they
// disagree in, empty for nothing.
func (c setup) run(t testing.TB, next func(w *twin, i int) (action, bool)) (w *twin, fault string) {
	w = newTwin(t, c.config)
	writing := false
	defer func() {
		switch r := recover(); {
		case writing: // rapid ends a run that it has no more chance for with a panic
			panic(r)
		case r != nil:
			fault = fmt.Sprintf("panic: %v", r)
		}
	}()
	pass := func() { w.Round() }
	if c.oracle != 0 {
		pass = w.stepping(rand.New(rand.NewPCG(c.oracle, 0)))
	}
	for i := 0; w.failed() == ""; i++ {
		writing = true
		a, more := next(w, i)
		writing = false
		if !more {
			break
		}
		if a.method == "cycles" {
			w.fund(a.n, a.program)
		} else {
			w.submit(a.n, a.method, a.program)
		}
		if a.advance > 0 {
			w.Apply(replica.AdvanceTo(w.View().Time + a.advance))
		}
		for range a.rounds {
			pass()
			w.check()
		}
	}
	if w.failed() != "" {
		fault = w.failed() + "\n" + w.recently()
	}
	return w, fault
}

// stepping passes a round in single steps, in any order.
func (w *twin) stepping(r *rand.Rand) func() {
	steps := 0
	oracle := replica.OracleFunc(func(moves []replica.Move) int { return r.IntN(len(moves)) })
	return func() {
		for height := w.View().Height; w.View().Height == height && w.failed() == ""; {
			w.Step(oracle)
			w.opened()
			if steps++; steps%8 == 0 && w.View().Height == height {
				w.compare()
				w.audit()
			}
		}
	}
}

// check compares the two worlds after a round.
func (w *twin) check() {
	w.compare()
	w.audit()
	w.world.Overdue()
	if !w.Activity().HasDueWork {
		w.world.AtRest()
	}
}

// transcript is a run for people: what a script in testdata would say.
func transcript(c setup, actions []action) string {
	var text strings.Builder
	fmt.Fprintln(&text, c)
	for i, a := range actions {
		if a.method == "cycles" {
			fmt.Fprintf(&text, "cycles %d %s\n", a.n, a.program)
		} else {
			fmt.Fprintf(&text, "submit m%d %d %s %s\n", i, a.n, a.method, a.program)
		}
		if a.advance > 0 {
			fmt.Fprintf(&text, "advance %d\n", a.advance/second)
		}
		if a.rounds > 0 {
			fmt.Fprintf(&text, "round %d\n", a.rounds)
		}
	}
	return text.String()
}

func fixed(actions []action) func(*twin, int) (action, bool) {
	return func(_ *twin, i int) (action, bool) {
		if i < len(actions) {
			return actions[i], true
		}
		return action{}, false
	}
}

// patience is how many shorter runs are tried for a failing one.
const patience = 3000

// shorten leaves actions out as long as the run fails.
func (c setup) shorten(t testing.TB, actions []action) []action {
	runs := 0
	for size := len(actions) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(actions) && runs < patience; runs++ {
			shorter := slices.Delete(slices.Clone(actions), at, at+size)
			if _, fault := c.run(t, fixed(shorter)); fault != "" {
				actions = shorter
			} else {
				at += size
			}
		}
	}
	return actions
}

// runRandom does random actions until there were enough messages.
func runRandom(t testing.TB, seed uint64, enough int) *twin {
	r := rand.New(rand.NewPCG(seed, 1))
	c := drawSetup(r.IntN)
	var actions []action
	w, fault := c.run(t, func(w *twin, i int) (action, bool) {
		p := generator{r.IntN, w.world, w.View().Time}
		actions = append(actions, p.action(i))
		return actions[i], w.messages < enough
	})
	if fault != "" {
		actions = c.shorten(t, actions)
		_, fault = c.run(t, fixed(actions))
		t.Fatalf("seed %d: %s\n%s", seed, fault, transcript(c, actions))
	}
	return w
}

func TestTheModelAgreesWithTheSubnetOnRandomRuns(t *testing.T) {
	const length = 5_000
	total, shed, late := 0, 0, 0
	for seed := *first; total < *messages; seed++ {
		w := runRandom(t, seed, min(length, *messages-total))
		total, shed, late = total+w.messages, shed+w.shed, late+w.late
	}
	t.Logf("%d messages, %d that made room, and %d management calls too late", total, shed, late)
	if total >= 100_000 && (shed == 0 || late == 0) {
		t.Error("the runs do not show what is rare")
	}
}

func TestTheModelAgreesWithTheSubnetOnRandomPrograms(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := dice(func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "d") })
		c := drawSetup(d)
		var actions []action
		enough := rapid.IntRange(10, 40).Draw(rt, "actions")
		_, fault := c.run(t, func(w *twin, i int) (action, bool) {
			if i == enough {
				return action{}, false
			}
			p := generator{d, w.world, w.View().Time}
			actions = append(actions, p.action(i))
			return actions[i], true
		})
		if fault != "" {
			rt.Fatalf("%s\n%s", fault, transcript(c, actions))
		}
	})
}
