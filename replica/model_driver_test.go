package replica_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/model"
)

// twin is a network of puppets and the model of it side by side. It tells the model
// what the network does, as it does it, and compares.
type twin struct {
	*replicatest.Stage
	world    *model.World
	fault    string
	height   uint64
	messages int
	shed     int // messages that made room, and
	late     int // management calls that were dropped
	keys     map[replica.RequestID]uint64
	sent     uint64
	// The canisters that the effect of the last management call is about: one whose code it removes, and one in which it
	// installs code.
	removing, installing principal.Principal
	charged              map[model.ID]cycles.Amount
	starved              map[model.ID]bool // in this round
	settled              bool              // the charges of this round are known
	last                 [30]replica.Event // that happened, the newest at events-1
	events               int
}

// newTwin makes a network and its model; what config says of slices and limits holds.
func newTwin(t testing.TB, c replica.Config) *twin {
	w := &twin{keys: make(map[replica.RequestID]uint64), charged: make(map[model.ID]cycles.Amount), starved: make(map[model.ID]bool)}
	first := replicatest.First(len(c.Subnets) - 1)
	puppets := replicatest.NewPuppets(first)
	w.Stage = replicatest.NewOverriddenStage(t, c, puppets, state.Overrides{
		Executor: watchedPuppets{puppets, w}, Management: watchedManager{replicatest.Manager{First: first, NeverFreezes: true}, w},
	})
	subnets := make([]*model.Subnet, len(c.Subnets))
	for i := range c.Subnets {
		from := model.ID(w.OnSubnet(i, 0))
		subnets[i] = &model.Subnet{First: from, Last: from + 1<<20 - 1, Room: c.BestEffortMessageBytes}
		if c.Subnets[i].Kind != replica.System {
			subnets[i].Fees = model.Application
		}
	}
	w.world = model.New(func(id model.ID) string { return string(w.ID(int(id)).Bytes()) }, subnets...)
	w.Listen(w)
	return w
}

func (w *twin) wrong(format string, args ...any) {
	if w.fault == "" {
		w.fault = fmt.Sprintf("height %d: ", w.height) + fmt.Sprintf(format, args...)
	}
}

// failed is the first disagreement, empty for none.
func (w *twin) failed() string {
	if fault := w.world.Fault(); fault != "" && w.fault == "" {
		w.wrong("the model: %s", fault)
	}
	return w.fault
}

// recently is what the network did last.
func (w *twin) recently() string {
	var text strings.Builder
	for i := max(0, w.events-len(w.last)); i < w.events; i++ {
		e := &w.last[i%len(w.last)]
		fmt.Fprintf(&text, "round %d, canister %d: %s (source %d, message %d, call %d, canister %d, %s): %v\n",
			e.Height, w.id(e.Canister), e.Kind, e.Source, w.keys[e.Request], e.Call, w.id(e.Peer), e.Method, e.Reject)
	}
	return text.String()
}

// id is the model's name for a canister.
func (w *twin) id(p principal.Principal) model.ID {
	if p == principal.Management {
		return model.Management
	}
	number, _ := p.CanisterNumber()
	return model.ID(int64(number - w.First))
}

func (w *twin) subnet(id principal.Principal) *model.Subnet {
	for i, s := range w.View().Subnets {
		if s.ID == id {
			return w.world.Subnets[i]
		}
	}
	return nil
}

// submit hands a message to both.
func (w *twin) submit(n int, method, arg string) {
	in := w.Message(n, method, arg)
	w.sent++
	w.keys[in.ID] = w.sent
	want := w.world.Submit(w.sent, model.ID(n), method, arg, in.Size, in.Expiry)
	got := w.Apply(in)
	switch {
	case got.Refusal != nil:
		w.wrong("%s %s for canister %d was refused: %s", method, arg, n, got.Refusal.Text)
	case (want == nil) != (got.Reject == nil) || want != nil && model.Code(got.Reject.Error) != want.Code:
		w.wrong("%s %s for canister %d: got %v, want %v", method, arg, n, got.Reject, want)
	}
	if want != nil {
		delete(w.keys, in.ID)
	}
}

// fund gives a canister cycles out of nothing in both.
func (w *twin) fund(n int, amount string) {
	var given cycles.Amount
	if err := given.UnmarshalText([]byte(amount)); err != nil {
		panic(err)
	}
	refused := w.Apply(replica.AddCycles{Canister: w.ID(n), Amount: given}).Refusal != nil
	if found := w.world.Fund(model.ID(n), small(given)); found == refused {
		w.wrong("cycles for canister %d were refused: %t", n, refused)
	}
}

// begin follows the network into its next round.
func (w *twin) begin(height, time uint64) {
	if height == w.height {
		return
	}
	w.height, w.settled = height, false
	clear(w.starved)
	w.world.Round(time)
}

// opened follows the network into a round whose first step told no event: a message
// that was parked is parked again.
func (w *twin) opened() {
	if height, time, open := w.Opened(); open {
		w.begin(height, time)
		w.chargeForTime()
	}
}

// chargeForTime takes what time has cost in this round, once it is known.
func (w *twin) chargeForTime() {
	if w.settled {
		return
	}
	w.settled = true
	for i := range w.View().Subnets {
		for _, o := range w.Open(i) {
			id, c := w.id(o.ID), w.Canister(o.ID)
			paid := c.Consumed.Memory.Add(c.Consumed.Compute)
			due := paid.Sub(w.charged[id])
			w.charged[id] = paid
			if !w.starved[id] && !due.IsZero() {
				w.world.Charge(id, due.Lo)
			}
		}
	}
}

// Event follows what the network does.
func (w *twin) Event(e *replica.Event) {
	if w.fault == "" {
		w.last[w.events%len(w.last)] = *e
		w.events++
	}
	w.begin(e.Height, e.Time)
	switch e.Kind {
	case replica.MessageExecuted, replica.MessageParked:
		w.messages++
		w.chargeForTime()
		w.ran(e)
	case replica.MessageDropped:
		w.dropped(e)
	case replica.CodeInstalled:
		w.finish(e)
	case replica.CodeRemoved:
		if e.Canister == w.removing {
			w.removing = principal.Principal{}
		} else if id := w.id(e.Canister); !w.starved[id] {
			w.starve(id)
		}
	case replica.CallRegistered, replica.CallSettled, replica.IngressAnswered:
		w.effect(e)
	case replica.MessageShed:
		w.shed++
		w.alike(fmt.Sprintf("a message of canister %d that made room", w.id(e.Canister)), e.Reject, w.world.Shed(w.message(e)))
	case replica.RoundEnded:
		w.chargeForTime()
		w.world.End()
		w.quiet()
	}
}

func (w *twin) starve(id model.ID) {
	w.starved[id] = true
	w.world.Starve(id)
}

// quiet notes what the network should have done and did not.
func (w *twin) quiet() {
	if rest := w.world.Effects(); len(rest) > 0 {
		w.wrong("this did not happen: %s", rest[0])
	}
}

var tasks = map[intercanister.Task]string{intercanister.Heartbeat: "heartbeat", intercanister.GlobalTimer: "timer"}

func (w *twin) message(e *replica.Event) model.Message {
	m := model.Message{To: w.id(e.Canister), Call: uint64(e.Call)}
	switch e.Source {
	case intercanister.SourceTasks:
		m.Source, m.Task = model.FromTask, tasks[e.Task]
	case intercanister.SourceResponses:
		m.Source = model.FromResponse
	case intercanister.SourceIngress:
		m.Source, m.Ingress = model.FromIngress, w.keys[e.Request]
	case intercanister.SourceRequests:
		m.Source, m.Caller = model.FromRequest, w.id(e.Peer)
	}
	return m
}

// ran follows a message that runs, to its end or to the end of its slice.
func (w *twin) ran(e *replica.Event) {
	w.quiet()
	id := w.id(e.Canister)
	if !w.world.Busy(id) {
		if v := w.world.Take(w.message(e)); !v.Runs {
			w.wrong("a message (%d) of canister %d ran, want %s", e.Source, id, verdict(v))
			return
		}
	}
	if e.Kind == replica.MessageExecuted {
		w.finish(e)
	}
}

func (w *twin) finish(e *replica.Event) {
	id := w.id(e.Canister)
	r := w.world.Finish(id)
	if r.Instructions != e.Instructions {
		w.wrong("a message of canister %d ran %d instructions, want %d", id, e.Instructions, r.Instructions)
	}
	w.alike(fmt.Sprintf("a message of canister %d", id), e.Reject, r.Trap)
}

// dropped follows a message that does not run.
func (w *twin) dropped(e *replica.Event) {
	late := e.Source == intercanister.SourceRequests && e.Reject == nil
	switch {
	case late && e.Canister == principal.Management:
		w.late++
		w.world.CommandOfCanister(w.subnet(e.Subnet), w.id(e.Peer), uint64(e.Call), true)
		return
	case late:
		w.world.Drop(w.id(e.Canister), w.id(e.Peer), uint64(e.Call))
		return
	}
	w.messages++
	w.chargeForTime()
	w.quiet()
	v := w.world.Take(w.message(e))
	if v.Runs {
		w.wrong("a message of canister %d did not run: %v", w.id(e.Canister), e.Reject)
		return
	}
	w.alike(fmt.Sprintf("a message that canister %d did not run", w.id(e.Canister)), e.Reject, v.Reject)
}

func verdict(v model.Verdict) string {
	if v.Reject != nil {
		return v.Reject.String()
	}
	return "it to be dropped"
}

// alike compares a reject of the network with the model's.
func (w *twin) alike(what string, got *intercanister.Reject, want *model.Response) {
	switch {
	case got == nil && want == nil:
	case got == nil || want == nil || model.Code(got.Error) != want.Code || !strings.Contains(got.Text, want.Text):
		w.wrong("%s: got reject %v, want %v", what, got, want)
	default:
		want.Carry((&intercanister.Response{Reject: got}).PayloadBytes())
	}
}

// effect strikes off what the model says must happen; what happens because time has
// passed the model is told first.
func (w *twin) effect(e *replica.Event) {
	if w.strike(e) {
		return
	}
	w.elapsed(e)
	if !w.strike(e) {
		w.wrong("this must not happen: %s, call %d of canister %d, message %d: %v", e.Kind, e.Call, w.id(e.Canister), w.keys[e.Request], e.Reject)
	}
}

func (w *twin) elapsed(e *replica.Event) {
	if e.Reject == nil {
		return
	}
	key, s := w.keys[e.Request], w.subnet(e.Subnet)
	switch e.Reject.Error {
	case intercanister.DeadlineExpired:
		w.world.ExpireCall(s, uint64(e.Call))
	case intercanister.IngressMessageTimeout:
		w.world.ExpireIngress(key)
	case intercanister.CanisterRejectedMessage:
		poor := e.Peer
		if e.Kind == replica.IngressAnswered {
			poor = e.Canister
		}
		w.starve(w.id(poor))
	}
}

var effectKinds = map[replica.EventKind]model.EffectKind{
	replica.CallRegistered: model.Registered, replica.CallSettled: model.Settled, replica.IngressAnswered: model.Answered,
}

func (w *twin) strike(e *replica.Event) bool {
	kind, key := effectKinds[e.Kind], w.keys[e.Request]
	s := w.subnet(e.Subnet)
	for i, x := range w.world.Effects() {
		switch {
		case x.Kind != kind:
			continue
		case kind == model.Registered:
			if x.Subnet != s || x.Call != uint64(e.Call) || x.Canister != w.id(e.Canister) || x.Callee != w.id(e.Peer) {
				w.wrong("call %d of canister %d to %d was made, want %s", e.Call, w.id(e.Canister), w.id(e.Peer), x)
			}
		case kind == model.Settled:
			if x.Subnet != s || x.Call != uint64(e.Call) {
				continue
			}
			w.alike(x.String(), e.Reject, rejectOf(x))
		case x.Ingress != key:
			continue
		default:
			w.answered(e, x)
		}
		w.world.Seen(i)
		return true
	}
	return false
}

func rejectOf(x *model.Effect) *model.Response {
	if x.Response.Code == 0 {
		return nil
	}
	return x.Response
}

func (w *twin) answered(e *replica.Event, x *model.Effect) {
	w.alike(x.String(), e.Reject, rejectOf(x))
	if in := w.Recorded(e.Subnet, e.Request); string(in.Reply) != x.Response.Reply {
		w.wrong("message %d was answered %q, want %s", x.Ingress, in.Reply, x)
	}
	delete(w.keys, e.Request)
}

// watchedPuppets tells the twin when a message is taken.
type watchedPuppets struct {
	*replicatest.Puppets
	twin *twin
}

// Memory64 is asked first of all when a message is taken.
func (p watchedPuppets) Memory64(c *canister.Canister) bool {
	if w := p.twin; c.ID == w.installing {
		w.installing = principal.Principal{}
	} else {
		w.chargeForTime()
		w.world.Hold(w.id(c.ID))
	}
	return p.Puppets.Memory64(c)
}

// watchedManager tells the twin of every management call before it is executed.
type watchedManager struct {
	replicatest.Manager
	twin *twin
}

// Run executes a call in the model and then on the subnet.
func (m watchedManager) Run(c *state.ManagementCall) state.Answer {
	w := m.twin
	w.begin(c.State.Height, c.State.Time)
	w.chargeForTime()
	w.quiet()
	w.messages++
	s := w.subnet(c.State.ID)
	var done bool
	if c.FromUser() {
		done = w.world.CommandOfUser(w.keys[c.State.History.At(c.Origin.Ingress).ID], s)
	} else {
		done = w.world.CommandOfCanister(s, w.id(c.Caller), uint64(c.Origin.Call), false)
	}
	a := m.Manager.Run(c)
	if busy := a.When == state.Busy; busy == done {
		w.wrong("management call %s %s waits: %t", c.Method, c.Arg, busy)
	}
	w.removing, w.installing = principal.Principal{}, principal.Principal{}
	switch a.Effect {
	case state.UninstallCode:
		w.removing = a.Target.ID()
	case state.InstallCode:
		w.installing = a.Target.ID()
	}
	return a
}
