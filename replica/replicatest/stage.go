package replicatest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/test/canistertest"
)

// Stage is a network of puppets with methods to call them.
type Stage struct {
	Exchangeable
	Puppets *Puppets
	First   uint64 // number of canister 0: the first of the last subnet
	Sender  principal.Principal
	sent    uint64
	t       testing.TB
}

// First returns the number of the first canister of the subnet at a position.
func First(position int) uint64 { return (uint64(1)<<44 - 2 - uint64(position)) << 20 }

// Start is the start of a stage's time, in nanoseconds.
const Start = 1_620_328_630_000_000_000

// keys are those of all networks of a test process: deriving them takes longer than most tests of a network.
var keys replica.Keys

// WithKeys returns a configuration whose network has keys that the process may have derived for others.
func WithKeys(config replica.Config) replica.Config {
	if config.Keys == nil {
		config.Keys = &keys
	}
	return config
}

// NewStage makes a network of puppets; the defaults of config are one application subnet and a Manager. The test closes
// it.
func NewStage(t testing.TB, config replica.Config) *Stage {
	t.Helper()
	first := First(max(1, len(config.Subnets)) - 1)
	puppets := NewPuppets(first)
	if config.Engine == nil {
		config = config.Override(state.Overrides{Executor: puppets, Management: Manager{First: first}})
	}
	return newStage(t, config, puppets)
}

// NewOverriddenStage is NewStage with other parts around puppets.
func NewOverriddenStage(t testing.TB, config replica.Config, puppets *Puppets, parts state.Overrides) *Stage {
	t.Helper()
	return newStage(t, config.Override(parts), puppets)
}

func newStage(t testing.TB, config replica.Config, puppets *Puppets) *Stage {
	t.Helper()
	config = WithKeys(config)
	if config.Start == 0 {
		config.Start = Start
	}
	if config.Subnets == nil {
		config.Subnets = []replica.SubnetConfig{{Nodes: 13}}
	}
	n, err := replica.New(config)
	if err != nil {
		t.Fatalf("make a network: %v", err)
	}
	s := &Stage{
		Exchangeable: Exchangeable{Network: n}, Puppets: puppets, First: puppets.First,
		Sender: principal.SelfAuthenticating([]byte("sender")), t: t,
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Fork returns a stage with a fork of the network. The test closes it.
func (s *Stage) Fork(config replica.ForkConfig) *Stage {
	f := *s
	if f.Engine() == nil {
		f.Puppets = s.Puppets.Fork()
		config = config.Override(state.Overrides{Executor: f.Puppets})
	}
	f.Network = s.Network.Fork(config)
	s.t.Cleanup(func() { f.Close() })
	return &f
}

// ID returns the id of canister n.
func (s *Stage) ID(n int) principal.Principal { return principal.Canister(s.First + uint64(n)) }

// Message returns an ingress message to canister n, or with a method of the Manager to the management canister about n.
func (s *Stage) Message(n int, method, arg string) *replica.Ingress {
	s.sent++
	in := &replica.Ingress{
		Sender: s.Sender, Receiver: s.ID(n), Effective: s.ID(n), Method: method, Arg: []byte(arg),
		Expiry: s.View().Time + replica.MaxIngressTTL, Size: len(arg) + 200,
	}
	switch method {
	case "run", "look", "both", "none":
	default:
		in.Receiver = principal.Management
	}
	in.ID = sha256.Sum256(binary.BigEndian.AppendUint64(nil, s.sent))
	return in
}

// Submit applies a message; its result is shown if it was not accepted.
func (s *Stage) Submit(n int, method, arg string) (replica.RequestID, string) {
	in := s.Message(n, method, arg)
	switch r := s.Apply(in); {
	case r.Refusal != nil:
		return in.ID, fmt.Sprintf("refused %s: %s", r.Refusal.Kind, r.Refusal.Text)
	case r.Reject != nil:
		return in.ID, "not accepted: " + r.Reject.String()
	}
	return in.ID, ""
}

// Answer returns the status of a message in the certified tree.
func (s *Stage) Answer(id replica.RequestID) string {
	view := s.View()
	for i := range view.Subnets {
		tree := view.Subnets[i].Certified().Tree()
		leaf := func(field certify.Label) string {
			node, _ := tree.Get(certify.RequestStatusPath(id, field)...)
			return string(node.Value())
		}
		switch status := leaf("status"); status {
		case "":
		case "replied":
			return "replied: " + leaf("reply")
		case "rejected":
			code, _ := certify.DecodeNat([]byte(leaf("reject_code")))
			return fmt.Sprintf("rejected %d %s: %s", code, leaf("error_code"), leaf("reject_message"))
		default:
			return status
		}
	}
	return "unknown"
}

// Call submits a message and runs rounds until it is answered, at most 1,000.
func (s *Stage) Call(n int, method, arg string) string {
	id, refused := s.Submit(n, method, arg)
	if refused != "" {
		return refused
	}
	for range 1000 {
		s.Round()
		switch answer := s.Answer(id); answer {
		case "received", "processing", "unknown":
		default:
			return answer
		}
	}
	return s.Answer(id)
}

// Run calls a puppet's method run.
func (s *Stage) Run(n int, program string) string { return s.Call(n, "run", program) }

// OnSubnet returns the n-th canister of the subnet at a position, in the numbering of a stage: later subnets come
// first.
func (s *Stage) OnSubnet(position, n int) int { return int(First(position)-s.First) + n }

// NewWasmStage makes a network of canisters that run a module, on the engine of all tests.
func NewWasmStage(t testing.TB, config replica.Config, module []byte) *Stage {
	t.Helper()
	config.Engine = canistertest.SharedEngine(t)
	return NewStage(t, WithManager(config, module))
}

// WithManager returns a configuration with a Manager in place of the management canister, which installs a module. The
// network has one subnet.
func WithManager(config replica.Config, module []byte) replica.Config {
	return config.Override(state.Overrides{Management: Manager{First: First(0), Module: module}})
}

// Create makes count canisters with code and balance cycles each.
func (s *Stage) Create(count int, balance uint64) {
	s.t.Helper()
	for n := range count {
		if got := s.Call(n, "create", fmt.Sprint(balance)); got != "replied: "+string(s.ID(n).Bytes()) {
			s.t.Fatalf("create canister %d: %s", n, got)
		}
		if got := s.Call(n, "install", fmt.Sprintf("%d ", n)); got != "replied: installed" {
			s.t.Fatalf("install canister %d: %s", n, got)
		}
	}
}
