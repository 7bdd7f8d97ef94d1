package replica_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/timers"
)

// damage is one thing in a network that does not fit the others, and what its import says.
type damage struct {
	what string
	do   func(*damagedNetwork)
	want string
}

// damagedNetwork is a network that is to be damaged.
type damagedNetwork struct {
	testing.TB
	*replica.Network
	*state.State // of the first subnet
	names        map[string]principal.Principal
}

func (w *damagedNetwork) entry(name string) *state.Entry { return w.Canisters.Get(w.names[name]) }

// kept is a held message of a kind, with its subnet.
func (w *damagedNetwork) kept(kind state.MessageKind) (*state.State, *state.Held) {
	for i := range w.View().Subnets {
		s := w.Network.State(i)
		for _, h := range s.Held.All() {
			if h.Kind == kind {
				return s, h
			}
		}
	}
	w.Fatalf("no %s is held", kind)
	return nil, nil
}

// due adds a deadline without a handle to the first subnet.
func due(d timers.Deadline) func(*damagedNetwork) {
	return func(w *damagedNetwork) {
		d.At = w.Time + 1_000_000_000
		if d.Kind == timers.GlobalTimer {
			d.Subject = w.names["A"]
		}
		w.Deadlines.Add(d)
	}
}

// waitingCall is a call of the first subnet that is not answered.
func (w *damagedNetwork) waitingCall() *intercanister.Future {
	for _, id := range w.Calls.Calls() {
		if f := w.Calls.Future(id); f.State == intercanister.Waiting {
			return f
		}
	}
	w.Fatal("no call waits")
	return nil
}

var damages = []damage{
	{"time of a subnet", func(w *damagedNetwork) { w.State.Time++ }, "of the network at"},
	{"a time after all times", func(w *damagedNetwork) { w.Apply(replica.AdvanceTo(math.MaxInt64 + 1)) }, "the time is "},
	{"a height that ends soon", func(w *damagedNetwork) { w.State.Height = math.MaxUint64 }, "round 18446744073709551615 of subnet"},
	{"ranges of ids", func(w *damagedNetwork) {
		w.Ids.Ranges = []state.Range{{First: w.Ids.Allocation.First, Last: w.Ids.Allocation.Last - 1}}
	}, "the subnets host other canister ids"},
	{"the range of new ids", func(w *damagedNetwork) { w.Ids.Allocation.First-- }, "canister ids are taken from"},
	{"an id of a user", func(w *damagedNetwork) {
		id := w.entry("A").ID().Bytes()
		w.entry("A").Canister.ID = principal.MustFromBytes(append(id[:len(id)-1:len(id)-1], byte(principal.ClassSelfAuthenticating)))
	}, "is not the id of a canister"},
	{"limits of instructions", func(w *damagedNetwork) { _, l, _ := w.Damage(0); l.Message = math.MaxUint64 }, "no canister can pay for them"},
	{"what was charged", func(w *damagedNetwork) { w.entry("A").Charged = w.Time + 1 }, "has paid until"},
	{"a mailbox that stays blocked", func(w *damagedNetwork) { w.entry("A").Mailbox.Blocked = true }, "canister"},
	{"a canister that stopped too early", func(w *damagedNetwork) { w.entry("A").Canister.Status = canister.Stopped }, "is stopped with"},
	{"a canister that need not stop", func(w *damagedNetwork) { w.entry("D").Canister.Status = canister.Running }, "somebody waits for it to stop"},
	{"number of a stop", func(w *damagedNetwork) { w.entry("D").Stops[0].Number = 99 }, "comes after the last"},
	{"memory of messages", func(w *damagedNetwork) {
		r := w.entry("A")
		r.Messages.BestEffort++
		r.Canister.MessageBytes++
		w.State.Messages.BestEffort++
	}, "the messages of canister"},
	{"memory of all messages", func(w *damagedNetwork) { w.State.Messages.Guaranteed++ }, "all messages take"},
	{"a timer of an unknown canister", due(timers.Deadline{Kind: timers.GlobalTimer}), `for a deadline of kind "global timer"`},
	{"an expiry of an outcall", due(timers.Deadline{Kind: timers.OutcallExpiry}), `for a deadline of kind "outcall expiry"`},
	{"a pruning of an answer", due(timers.Deadline{Kind: timers.IngressPrune, Number: 1}), `for a deadline of kind "ingress pruning"`},
	{"an expiry of a call", due(timers.Deadline{Kind: timers.CallExpiry, Number: 1}), `for a deadline of kind "call expiry"`},
	{"an expiry of requests", due(timers.Deadline{Kind: timers.RequestExpiry}), `for a deadline of kind "request expiry"`},
	{"a stop timeout", due(timers.Deadline{Kind: timers.StopTimeout}), `for a deadline of kind "stop timeout"`},
	{"a release of a held message", due(timers.Deadline{Kind: timers.HeldMessage, Number: 1}), `for a deadline of kind "held message"`},
	{"a second charge", due(timers.Deadline{Kind: timers.Charge}), `for a deadline of kind "charge"`},
	{"a handle of another's deadline", func(w *damagedNetwork) { w.waitingCall().Expiry = w.State.Outcalls[0].Expiry }, "is somebody else's"},
	{"number of outcalls", func(w *damagedNetwork) { w.State.OutcallsMade = 0 }, "HTTP outcall 0 of node 0 is none of the 0"},
	{"node of an outcall", func(w *damagedNetwork) { w.State.Outcalls[0].Sent.Node = 13 }, "HTTP outcall 0 of node 13 is none"},
	{"text of an outcall", func(w *damagedNetwork) { w.State.Outcalls[0].Sent.URL = "\xff" }, "is not UTF-8"},
	{"a call of an unknown canister", func(w *damagedNetwork) { w.State.Outcalls[0].Ticket.Origin.Caller = principal.Canister(5) }, "open call from unknown canister"},
	{"a request to sign", func(w *damagedNetwork) { w.Signing.Pending[0].Arg = w.Signing.Pending[0].Arg[1:] }, "a request for a signature cannot be answered"},
	{"method of a request to sign", func(w *damagedNetwork) { w.Signing.Pending[0].Method = "raw_rand" }, "a request for a signature cannot be answered"},
	{"a task of the management canister", func(w *damagedNetwork) { w.State.ManagementCalls.PushTask(intercanister.Heartbeat) }, "or has tasks"},
	{"a task that is none", func(w *damagedNetwork) { w.entry("A").Mailbox.PushTask(intercanister.NoTask) }, "a task is none"},
	{"sender of a request", func(w *damagedNetwork) {
		for i := range w.View().Subnets {
			for r := range w.Network.State(i).Canisters.All() {
				for _, name := range canisterNames {
					if q := r.Mailbox.First(w.names[name]); q != nil {
						q.Sender = r.ID()
						return
					}
				}
			}
		}
		w.Fatal("no request waits")
	}, "waits among those of"},
	{"a held message of a user that waits as well", func(w *damagedNetwork) {
		s, h := w.kept(state.KindIngress)
		s.Canisters.Get(w.names["E"]).Mailbox.PushIngress(h.Ingress)
	}, "of a user waits twice"},
	{"a message of a user at another canister", func(w *damagedNetwork) {
		for in := range w.History.All() {
			if w.entry("A").Mailbox.DropIngress(in.Number) {
				w.entry("B").Mailbox.PushIngress(in.Number)
			}
		}
	}, "and is for another"},
	{"ids of held messages", func(w *damagedNetwork) { r, _, _ := w.Damage(0); r.Count = 0 }, "comes after the last"},
	{"number of held messages", func(w *damagedNetwork) { r, _, _ := w.Damage(0); r.Held++ }, "are held, not"},
	{"action of a rule", func(w *damagedNetwork) { r, _, _ := w.Damage(0); r.List[0].Action.Kind = state.ActReject }, "rule 1 cannot be applied"},
	{"ids of rules", func(w *damagedNetwork) { r, _, _ := w.Damage(0); r.Last = 1 }, "is not in the order of rules"},
	{"deadline of a held response", func(w *damagedNetwork) { _, h := w.kept(state.KindResponse); h.Deadline++ }, "has no call"},
	{"a held response whose call goes on", func(w *damagedNetwork) {
		s, h := w.kept(state.KindResponse)
		origin := intercanister.Origin{Kind: intercanister.FromCanister, Caller: h.Owner, Call: h.Call}
		s.Postponed = append(s.Postponed, state.Postponed{Ticket: state.Ticket{Origin: origin}, Method: "raw_rand"})
	}, "and the call is elsewhere as well"},
	{"deadline of a message to another subnet", func(w *damagedNetwork) {
		for i := range w.View().Subnets {
			if _, _, sent := w.Damage(i); len(sent) > 0 {
				*sent[0] += 1
				return
			}
		}
		w.Fatal("nothing is sent")
	}, "the messages of canister"},
	{"a canister that is gone and there", func(w *damagedNetwork) {
		w.Untouch()
		w.Touched = append(w.Touched, &state.Entry{Canister: canister.New(w.names["A"], 0, canister.Settings{}), Gone: true})
	}, "is gone, and there"},
	{"a message that has changed and is not shown", func(w *damagedNetwork) {
		for in := range w.History.All() {
			w.Show(in)
			break
		}
		w.Answered = nil
	}, "is in one of two lists of changed messages and not in the other"},
	{"number of a snapshot", func(w *damagedNetwork) { w.entry("A").Canister.Snapshots.All()[0].Number = 9 }, "is not in the order of numbers"},
	{"globals of a snapshot", func(w *damagedNetwork) { s := w.entry("A").Canister.Snapshots.All()[0]; s.Globals = s.Globals[1:] }, "does not fit its module"},
	{"a global of a snapshot", func(w *damagedNetwork) {
		w.entry("A").Canister.Snapshots.All()[0].Globals = []canister.Global{{Type: 1}}
	}, "a global of type 0x1"},
	{"length of a history", func(w *damagedNetwork) { w.entry("A").Canister.History.Total = 0 }, "changes in a history of 0"},
	{"an environment", func(w *damagedNetwork) {
		c := w.entry("A").Canister
		set := *c.Settings
		set.Environment = []canister.Variable{{Name: "\xff"}}
		c.Settings = &set
	}, "is not UTF-8"},
	{"a parked message without code", func(w *damagedNetwork) { w.entry("D").Canister.Uninstall() }, "and it has no code"},
}

// Invalid content is found when a file is read, not when it is first used.
func TestWhatDoesNotFitIsNotImported(t *testing.T) {
	s, config := crowdedStage(t)
	for _, d := range damages {
		t.Run(d.what, func(t *testing.T) {
			f := s.Network.Fork(replica.ForkConfig{})
			defer f.Close()
			d.do(&damagedNetwork{t, f, f.State(0), s.Names})
			var file bytes.Buffer
			err := f.Export(&file)
			if err == nil { // some damages are found while writing
				n, wrong := replica.Import(&file, config)
				if wrong == nil {
					n.Close()
					t.Fatal("it was imported")
				}
				if fault := new(archive.Fault); !errors.As(wrong, &fault) {
					t.Errorf("%v says not where", wrong)
				}
				err = wrong
			}
			if !strings.Contains(err.Error(), d.want) {
				t.Errorf("it says %v, want %q", err, d.want)
			}
		})
	}
}
