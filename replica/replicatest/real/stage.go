package real

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/test/canistertest"
)

// Stage is a network with methods to call it. Its canisters have names; the sending user controls all of them.
type Stage struct {
	replicatest.Exchangeable
	User  principal.Principal
	Info  *replica.SenderInfo // what is attested of the user
	Names map[string]principal.Principal
	sent  uint64
	t     testing.TB
}

// NewStage makes a network; the defaults of config are the engine of all tests and one application subnet of 13 nodes. It is
// closed when the test ends.
func NewStage(t testing.TB, config replica.Config) *Stage {
	t.Helper()
	if config.Engine == nil {
		config.Engine = canistertest.SharedEngine(t)
	}
	if config.Start == 0 {
		config.Start = replicatest.Start
	}
	if config.Subnets == nil {
		config.Subnets = []replica.SubnetConfig{{Nodes: 13}}
	}
	n, err := replica.New(replicatest.WithKeys(config))
	if err != nil {
		t.Fatalf("make a network: %v", err)
	}
	s := &Stage{
		Exchangeable: replicatest.Exchangeable{Network: n}, User: principal.SelfAuthenticating([]byte("user")), t: t,
		Names: map[string]principal.Principal{"management": principal.Management},
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Fork returns a stage with a fork of the network. It is closed when the test ends.
func (s *Stage) Fork(config replica.ForkConfig) *Stage {
	f := *s
	f.Names = maps.Clone(s.Names)
	f.Network = s.Network.Fork(config)
	s.t.Cleanup(f.Network.Close)
	return &f
}

// ID returns the id of the canister with a name.
func (s *Stage) ID(name string) principal.Principal {
	s.t.Helper()
	id, ok := s.Names[name]
	if !ok {
		s.t.Fatalf("no canister is called %q", name)
	}
	return id
}

// Ingress returns a message of the user, with an id that is unique in the stage.
func (s *Stage) Ingress(receiver, effective principal.Principal, method string, arg []byte) *replica.Ingress {
	s.sent++
	return &replica.Ingress{
		ID: sha256.Sum256(binary.BigEndian.AppendUint64(nil, s.sent)), Sender: s.User, Receiver: receiver, Effective: effective,
		Method: method, Arg: arg, Expiry: s.View().Time + replica.MaxIngressTTL, Size: len(arg) + replica.EnvelopeBytes, Info: s.Info,
	}
}

// Submit submits a message to a canister. The text is empty if it was accepted.
func (s *Stage) Submit(name, method string, arg []byte) (replica.RequestID, string) {
	s.t.Helper()
	return s.submit(s.Ingress(s.ID(name), s.ID(name), method, arg))
}

// SubmitManagement submits a message to the management canister about a canister.
func (s *Stage) SubmitManagement(name, method string, arg []byte) (replica.RequestID, string) {
	s.t.Helper()
	return s.submit(s.Ingress(principal.Management, s.ID(name), method, arg))
}

func (s *Stage) submit(in *replica.Ingress) (replica.RequestID, string) {
	switch r := s.Apply(in); {
	case r.Refusal != nil:
		return in.ID, fmt.Sprintf("refused %s: %s", r.Refusal.Kind, r.Refusal.Text)
	case r.Reject != nil:
		return in.ID, "not accepted: " + r.Reject.String()
	}
	return in.ID, ""
}

// Answer is the status of a message in the certified tree.
type Answer struct {
	Status string // of the request; or "not taken"
	Reply  []byte
	Code   uint64 // reject code
	Error  string // IC code
	Text   string // reject message, or why it was not taken
}

// Over reports whether the answer is final.
func (a Answer) Over() bool {
	return a.Status != "received" && a.Status != "processing" && a.Status != "unknown"
}

// String returns the answer on one line.
func (a Answer) String() string {
	switch a.Status {
	case "replied":
		return "replied: " + string(a.Reply)
	case "rejected":
		return fmt.Sprintf("rejected %d %s: %s", a.Code, a.Error, a.Text)
	case "not taken":
		return a.Text
	}
	return a.Status
}

// Answer returns the status of a message.
func (s *Stage) Answer(id replica.RequestID) Answer {
	view := s.View()
	for i := range view.Subnets {
		tree := view.Subnets[i].Certified().Tree()
		leaf := func(field certify.Label) []byte {
			node, _ := tree.Get(certify.RequestStatusPath(id, field)...)
			return node.Value()
		}
		status := string(leaf("status"))
		if status == "" {
			continue
		}
		a := Answer{Status: status, Reply: leaf("reply"), Error: string(leaf("error_code")), Text: string(leaf("reject_message"))}
		if status == "rejected" {
			a.Code, _ = certify.DecodeNat(leaf("reject_code"))
		}
		return a
	}
	return Answer{Status: "unknown"}
}

// mostRounds is the maximum number of rounds that Await runs.
const mostRounds = 10_000

// Await runs rounds until a message is answered.
func (s *Stage) Await(id replica.RequestID) Answer {
	s.t.Helper()
	for range mostRounds {
		if a := s.Answer(id); a.Over() {
			return a
		}
		s.Round()
	}
	s.t.Fatalf("no answer in %d rounds: %s", mostRounds, s.Answer(id))
	return Answer{}
}

// Call is Submit and Await.
func (s *Stage) Call(name, method string, arg []byte) Answer {
	s.t.Helper()
	return s.outcome(s.Submit(name, method, arg))
}

// Manage calls the management canister about a canister.
func (s *Stage) Manage(name, method string, arg []byte) Answer {
	s.t.Helper()
	return s.outcome(s.SubmitManagement(name, method, arg))
}

func (s *Stage) outcome(id replica.RequestID, refused string) Answer {
	s.t.Helper()
	if refused != "" {
		return Answer{Status: "not taken", Text: refused}
	}
	return s.Await(id)
}

// Query queries a canister.
func (s *Stage) Query(name, method string, arg []byte) replica.QueryResult {
	s.t.Helper()
	id := s.ID(name)
	return s.Ask(&replica.Query{Sender: s.User, Receiver: id, Effective: id, Method: method, Arg: arg, Info: s.Info})
}

// QueryManagement queries the management canister about a canister.
func (s *Stage) QueryManagement(name, method string, arg []byte) replica.QueryResult {
	s.t.Helper()
	return s.Ask(&replica.Query{Sender: s.User, Receiver: principal.Management, Effective: s.ID(name), Method: method, Arg: arg})
}

// Ask runs a query and counts it.
func (s *Stage) Ask(q *replica.Query) replica.QueryResult {
	result := s.PrepareQuery(q).Run()
	s.Apply(append(replica.QueryCounts{result.Count}, result.Nested...))
	return result
}

// Balances returns what all named canisters have and have paid: only provisional cycles and the loss of cycles change
// the sum.
func (s *Stage) Balances() (have, paid cycles.Amount) {
	for _, id := range s.Names {
		c := s.Canister(id)
		if c == nil {
			continue
		}
		have = have.Add(c.Balance).Add(c.Reserved)
		paid = paid.Add(c.Consumed.Total())
	}
	return have, paid
}
