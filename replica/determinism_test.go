package replica_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// The canisters of a scenario. C has a heartbeat, D has a 64-bit memory that it keeps over
// upgrades, E is on another subnet where there is one; N does not exist.
var canisterNames = []string{"A", "B", "C", "D", "E"}

func variant(name string) canistertest.Variant {
	return canistertest.Variant{Heartbeat: name == "C", Memory64: name == "D", Persistent: name == "D"}
}

// scenario is what happens to a network, drawn at random: everything that follows is
// to be the same each time it runs.
type scenario struct {
	config  replica.Config
	actions []scenarioAction
}

// scenarioAction is one input and the rounds after it.
type scenarioAction struct {
	kind, name string // what is done, and to which canister
	text       string // the program, or the mode of an installation
	seconds    uint64
	rounds     int
	meddling   meddling
}

func (d *scenario) String() string {
	var all strings.Builder
	fmt.Fprintf(&all, "%d subnets, slices of %d, rounds of %d messages, streams of %d\n",
		len(d.config.Subnets), d.config.SliceInstructions, d.config.RoundMessages, d.config.StreamMessages)
	for _, s := range d.actions {
		fmt.Fprintf(&all, "%s %s %d s, %d rounds: %s %s\n", s.kind, s.name, s.seconds, s.rounds, s.text, s.meddling)
	}
	return all.String()
}

func drawScenario(t *rapid.T) *scenario {
	d := &scenario{config: replica.Config{SliceInstructions: 1_000_000}}
	for range rapid.IntRange(1, 2).Draw(t, "subnets") {
		d.config.Subnets = append(d.config.Subnets, replica.SubnetConfig{Nodes: 13})
	}
	if rapid.Bool().Draw(t, "limited") {
		d.config.RoundMessages, d.config.RoundInstructions = 4, 5_000_000
	}
	if rapid.Bool().Draw(t, "narrow") {
		d.config.StreamMessages = 2
	}
	d.actions = rapid.SliceOfN(rapid.Custom(drawAction), 1, 12).Draw(t, "actions")
	return d
}

var actionKinds = []string{
	"run", "run", "run", "run", "run", "run", "query", "ask", "meddle", "meddle", "meddle", "advance", "stop_canister", "start_canister",
	"upgrade", "reinstall", "uninstall_code", "install", "garble", "delete_canister",
}

func drawAction(t *rapid.T) scenarioAction {
	s := scenarioAction{
		kind: rapid.SampledFrom(actionKinds).Draw(t, "kind"), name: rapid.SampledFrom(canisterNames).Draw(t, "name"),
		rounds: rapid.IntRange(0, 3).Draw(t, "rounds"),
	}
	switch s.kind {
	case "advance":
		s.seconds = rapid.Uint64Range(1, 400).Draw(t, "seconds")
	case "garble":
		s.text = string(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes"))
	case "meddle":
		s.meddling = meddles(t)
	case "upgrade", "reinstall", "install":
		s.text = statement(t, 0)
	case "stop_canister", "start_canister", "uninstall_code", "delete_canister":
	default:
		s.text = program(t, 3)
	}
	return s
}

// program draws a program of the scriptable canister with calls at most this deep.
func program(t *rapid.T, depth int) string {
	statements := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return statement(t, depth) }), 0, 4).Draw(t, "statements")
	end := rapid.SampledFrom([]string{
		`reply "x"`, `reply "x"`, `reply "x"`, `reply get`, `reply get`, `reply "late " + time`, `call self.run(reply "y") on-reply(reply arg)`, `append balance; append version; reply`, `append arg; reply`, `reply caller`,
		`reject "no"`, `trap "stop"`, `unreachable`, `stray`, `recurse`, `reply "1"; reply "2"`, `stop`, `push root-key; drop; reply "x"`,
	}).Draw(t, "end")
	if strings.Contains(strings.Join(statements, ""), "on-reply") && rapid.IntRange(0, 2).Draw(t, "answers") > 0 {
		return strings.Join(statements, "; ") // a callback answers
	}
	return strings.Join(append(statements, end), "; ")
}

func statement(t *rapid.T, depth int) string {
	n := rapid.IntRange(0, 99).Draw(t, "n")
	simple := []string{
		"set add(get, %d)", `certify "text %d"`, "spin %d00_00", "drop grow(%d)", `print "line %d"`, `drop stable-grow(%d)`,
		`drop stable-grow(1); stable-write %d, "stable"`, `heap-write %d, "heap" + get`, "drop accept(%d)", "drop burn(%d)", "drop timer(add(time, %d_000_000_000))",
		"on timer {set add(get, %d); drop timer(add(time, 7_000_000_000))}", "on heartbeat {set add(get, %d)}", "on pre-upgrade {set %d}",
		"if less(get, %d) {set add(get, 7)}", "repeat %d {set add(get, 1)}", "append counter(0) + (counter(1) + %d)", "touch %d", "append heap-read(%d, 8)",
		`on timer {call self.run(set add(get, %d); reply "x")}`, "set add(get, integer(slice(time + liquid, 8, 8)))", "if stable-size {append stable-read(0, %d)}",
		"on inspect {if less(%d, 50) {accept-message}}", "on low-memory {set %d}",
	}
	if depth > 0 && rapid.IntRange(0, 2).Draw(t, "calls") > 0 {
		return callText(t, depth-1)
	}
	text := rapid.SampledFrom(simple).Draw(t, "statement")
	if !strings.Contains(text, "%d") {
		return text
	}
	return fmt.Sprintf(text, n)
}

func callText(t *rapid.T, depth int) string {
	callee := rapid.SampledFrom([]string{
		"A.run", "B.run", "C.run", "D.run", "E.run", "self.run", "B.query", "A.ask", "N.run", "management.raw_rand", "management.create_canister", "management.deposit_cycles",
	}).Draw(t, "callee")
	argument := program(t, depth)
	switch callee {
	case "management.raw_rand":
		return fmt.Sprintf(`call %s("DIDL\00\00") on-reply(set add(get, integer(slice(arg, 8, 8))); %s)`, callee, program(t, 0))
	case "management.deposit_cycles":
		return fmt.Sprintf(`call %s("%s") cycles 1_000_000 on-reply(%s) on-reject(%s)`, callee, aboutSome(t), program(t, 0), program(t, 0))
	case "management.create_canister":
		return fmt.Sprintf(`call %s("DIDL\01l\00\01\00") cycles 1_000_000_000_000 on-reply(%s)`, callee, program(t, 0))
	}
	call := fmt.Sprintf("call %s(%s)", callee, argument)
	option := func(name, format string, arg func() string) {
		if rapid.Bool().Draw(t, name) {
			call += fmt.Sprintf(format, arg())
		}
	}
	leaf := func() string { return program(t, 0) }
	option("pays", " cycles %s", func() string { return fmt.Sprint(rapid.Uint64Range(1, 10_000).Draw(t, "cycles")) })
	option("bounded", " within %s", func() string { return fmt.Sprint(rapid.Uint64Range(0, 60).Draw(t, "within")) })
	option("on reply", " on-reply(%s)", func() string { return program(t, min(depth, 1)) })
	option("on reject", " on-reject(%s)", leaf)
	option("on cleanup", " on-cleanup(%s)", leaf)
	option("not sent", " not-sent(%s)", leaf)
	return call
}

// aboutSome is a record with the id of a canister of the root subnet in Candid, one
// that does not exist among them; as text of a program.
func aboutSome(t *rapid.T) string {
	id := principal.Canister(replicatest.First(0) + uint64(rapid.IntRange(0, len(canisterNames)).Draw(t, "about")))
	var text strings.Builder
	for _, b := range append([]byte("DIDL\x01\x6c\x01\xb3\xc4\xb1\xf2\x04\x68\x01\x00\x01\x0a"), id.Bytes()...) {
		fmt.Fprintf(&text, `\%02x`, b)
	}
	return text.String()
}

// harness runs scenarios: an engine, and the modules.
type harness struct {
	testing.TB
	engine  *canister.Engine
	modules map[string][]byte
}

// Cleanup forgets what a stage would do at the end of the test: every run closes its
// network, and there may be many.
func (th *harness) Cleanup(func()) {}

func newHarness(t testing.TB) *harness {
	th := &harness{TB: t, engine: canistertest.NewEngine(t), modules: make(map[string][]byte)}
	for _, name := range canisterNames {
		th.modules[name] = variant(name).Module()
	}
	return th
}

// seen is what a scenario showed: the state after every round, every event, and every
// answer.
type seen struct {
	states []string   // root hash by round
	hashes [][32]byte // state hash by round
	events strings.Builder
}

func (s *seen) Event(e *replica.Event) {
	fmt.Fprintf(&s.events, "%d %s %s %v %d %d %d %s %d %d %d %t%t %v\n", e.Height, e.Kind, e.Canister, e.Peer, e.Context, e.Call, e.Source, e.Method,
		e.Task, e.Instructions, e.Number, e.Reentrant, e.CleanupRan, e.Reject)
}

// roundRunner makes a network end a round.
type roundRunner func(*replica.Network)

// run runs a scenario until the network rests, or for a number of rounds where a
// canister has a heartbeat.
func (th *harness) run(d *scenario, runner replica.Runner, pass roundRunner) *seen {
	return th.runOn(d, runner, new(seen), func(s *real.Stage) { pass(s.Network) })
}

// runOn is run; pass may put another network on the stage, whose events are to be seen
// too.
func (th *harness) runOn(d *scenario, runner replica.Runner, saw *seen, pass func(*real.Stage)) *seen {
	config := d.config
	config.Engine, config.Runner, config.Events = th.engine, runner, saw
	s := real.NewStage(th, config)
	defer func() { s.Close() }()
	round := func() {
		pass(s)
		saw.states = append(saw.states, fmt.Sprintf("%x %d", s.RootHash(), s.View().Time))
		saw.hashes = append(saw.hashes, stateHash(th, s.Network))
	}
	for i, name := range canisterNames {
		s.Create(name, i/4%len(d.config.Subnets), real.Plenty)
		s.Install(name, real.Install, th.modules[name], nil)
	}
	s.Names["N"] = s.User
	for _, action := range d.actions {
		saw.events.WriteString(th.do(s, action) + "\n")
		for range action.rounds {
			round()
		}
	}
	for i := 0; i < 40 && (s.Activity().HasDueWork || i < 3); i++ {
		round()
	}
	for _, name := range canisterNames {
		if c := s.Canister(s.ID(name)); c != nil {
			fmt.Fprintf(&saw.events, "%s %s %s %d %x %v\n", name, c.Balance, c.Reserved, c.Version, c.Certified, c.Consumed)
		}
	}
	fmt.Fprintf(&saw.events, "%+v\n", s.Census())
	return saw
}

// do does one action, and says what came back at once.
func (th *harness) do(s *real.Stage, action scenarioAction) string {
	bytes := []byte(action.text)
	switch action.kind {
	case "run", "query", "ask", "upgrade", "reinstall", "install":
		parsed, err := canistertest.Parse(action.text, s.Names)
		if err != nil {
			panic(err)
		}
		bytes = parsed.Bytes()
	}
	switch action.kind {
	case "run", "garble":
		_, refused := s.Submit(action.name, "run", bytes)
		return refused
	case "meddle":
		return action.meddling.meddle(s.Network, s.ID(action.name))
	case "query", "ask":
		r := s.Query(action.name, action.kind, bytes)
		return fmt.Sprintf("%x %v %v %d", r.Reply, r.Reject, r.Refusal, r.Instructions)
	case "advance":
		s.Apply(replica.AdvanceTo(s.View().Time + action.seconds*second))
		return ""
	case "upgrade", "reinstall", "install":
		mode := real.Mode(action.kind)
		if mode == real.Upgrade && action.name == "D" {
			mode = real.UpgradeKeep
		}
		_, refused := s.SubmitManagement(action.name, "install_code", s.InstallArgs(action.name, mode, th.modules[action.name], bytes))
		return refused
	}
	_, refused := s.SubmitManagement(action.name, action.kind, s.About(action.name, ""))
	return refused
}

// identical is same for networks whose whole states are to be the same after each round.
func identical(t *rapid.T, d *scenario, what string, one, two *seen) {
	same(t, d, what, one, two)
	for i := range one.hashes {
		if one.hashes[i] != two.hashes[i] {
			difference(t, d, fmt.Sprintf("%s: the state hash after round %d", what, i), one, two)
		}
	}
}

// same fails the test with what differs first. Steps finish messages in another order than rounds,
// so that calls get other places in their table: they come to the same roots, not to the same state
// hashes.
func same(t *rapid.T, d *scenario, what string, one, two *seen) {
	for i := range min(len(one.states), len(two.states)) {
		if one.states[i] != two.states[i] {
			difference(t, d, fmt.Sprintf("%s: the state after round %d", what, i), one, two)
		}
	}
	if len(one.states) != len(two.states) || one.events.String() != two.events.String() {
		difference(t, d, what+": the events", one, two)
	}
}

func difference(t *rapid.T, d *scenario, what string, one, two *seen) {
	a, b := strings.Split(one.events.String(), "\n"), strings.Split(two.events.String(), "\n")
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(0, i-4)
	t.Fatalf("%s differs in\n%s\none:\n%s\nother:\n%s", what, d, strings.Join(a[from:min(i+4, len(a))], "\n"), strings.Join(b[from:min(i+4, len(b))], "\n"))
}

// few makes a property check fewer cases than usual, unless the flag -rapid.checks
// says how many.
func few(t *testing.T) {
	const usual, cases = "100", "15"
	if flag.Lookup("rapid.checks").Value.String() != usual {
		return
	}
	set := func(n string) {
		if err := flag.Set("rapid.checks", n); err != nil {
			t.Fatal(err)
		}
	}
	set(cases)
	t.Cleanup(func() { set(usual) })
}

func TestAScenarioOfRealCanistersIsTheSameEachTime(t *testing.T) {
	few(t)
	th := newHarness(t)
	rapid.Check(t, func(rt *rapid.T) {
		d := drawScenario(rt)
		identical(rt, d, "again", th.run(d, nil, round), th.run(d, nil, round))
	})
}

func TestAScenarioOfRealCanistersIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	few(t)
	th := newHarness(t)
	var pools []*driver.Pool
	for _, workers := range []int{1, 2, 3, 8} {
		pools = append(pools, driver.NewPool(workers, nil))
	}
	defer func() {
		for _, pool := range pools {
			pool.Close()
		}
	}()
	rapid.Check(t, func(rt *rapid.T) {
		d := drawScenario(rt)
		alone := th.run(d, nil, round)
		for i, pool := range pools {
			identical(rt, d, fmt.Sprintf("pool %d", i), alone, th.run(d, pool, round))
		}
	})
}

func TestAScenarioOfRealCanistersIsTheSameInSteps(t *testing.T) {
	few(t)
	th := newHarness(t)
	rapid.Check(t, func(rt *rapid.T) {
		d := drawScenario(rt)
		same(rt, d, "steps", th.run(d, nil, round), th.run(d, nil, steps(replica.FIFO{})))
	})
}

func TestTheTreeIsTheSameWhetherOrNotItIsReadOnTheWay(t *testing.T) {
	rootAfter := func(read func(*replica.Network)) [32]byte {
		s := real.NewStage(t, replica.Config{Subnets: []replica.SubnetConfig{{Nodes: 1}}})
		in := s.Ingress(principal.Management, s.View().DefaultCanister(), "provisional_create_canister_with_cycles", s.Args(`(record {})`))
		if result := s.Apply(in); result.Reject != nil || result.Refusal != nil {
			t.Fatal(result)
		}
		s.Network.Round()
		read(s.Network)
		for range 3 { // until the message is forgotten
			s.Apply(replica.AdvanceTo(s.Activity().Time + 400*second))
			s.Network.Round()
		}
		return s.RootHash()
	}
	unread := rootAfter(func(*replica.Network) {})
	if read := rootAfter(func(n *replica.Network) { n.RootHash() }); read != unread {
		t.Errorf("the root hash is %x if the tree was read before, and %x if not", read, unread)
	}
}
