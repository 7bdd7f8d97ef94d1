package replica_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// deepest is the longest derivation path, with a key.
var deepest = `derivation_path = vec { ` + strings.Repeat(`blob "x"; `, 255) + `}; key_id = record { curve = variant { secp256k1 }; name = "test_key_1" }`

// asks is a program that calls the management canister so often and replies when all is
// answered.
func asks(s *real.Stage, times int, method, arg string, fee uint64) []byte {
	over := canistertest.Script().Count(1).Get().Int(uint64(times)).Equal().If(canistertest.Script().ReplyText("all"))
	call := canistertest.Call{Callee: principal.Management, Method: method, Arg: s.Args(arg), Cycles: fee, OnReply: over, OnReject: canistertest.Script().RejectMessage().ReplyTop()}
	return canistertest.Script().Int(0).Set().Repeat(uint64(times), canistertest.Script().Call(call).Drop()).Bytes()
}

// What the management canister does itself for calls that cost nothing, or next to
// nothing, takes no longer of a round than a slice of a canister's message.
func TestManyCallsForKeysAreSpreadOverRounds(t *testing.T) {
	const times = 6
	for method, c := range map[string]struct {
		arg string
		fee uint64
	}{
		"ecdsa_public_key": {"(record { canister_id = null : opt principal; " + deepest + " })", 0},
		"sign_with_ecdsa":  {`(record { message_hash = blob "the message, 32 bytes, hashed..."; ` + deepest + " })", 30_000_000_000},
		"vetkd_public_key": {`(record { canister_id = null : opt principal; context = blob ""; key_id = record { curve = variant { bls12_381_g2 }; name = "test_key_1" } })`, 0},
	} {
		s := real.NewStage(t, replica.Config{})
		for _, name := range []string{"A", "B"} {
			s.Create(name, 0, real.Plenty)
			if a := s.Install(name, real.Install, canistertest.Scriptable(), nil); a.Status != "replied" {
				t.Fatal(a)
			}
		}
		id, _ := s.Submit("A", "run", asks(s, times, method, c.arg, c.fee))
		s.Round()
		var rounds []string
		for !s.Answer(id).Over() {
			other, _ := s.Submit("B", "run", canistertest.Script().ReplyText("here").Bytes())
			if !s.Activity().HasRunnableWork {
				t.Fatalf("%s: nothing is left to do, but A hears %s", method, s.Answer(id))
			}
			report := s.Round()
			rounds = append(rounds, fmt.Sprint(report.Instructions))
			if report.Instructions > 3*replica.SliceInstructions {
				t.Errorf("%s: a round counts %d instructions", method, report.Instructions)
			}
			if a := s.Answer(other); string(a.Reply) != "here" {
				t.Errorf("%s: B had to wait for A: %s", method, a)
			}
		}
		if a := s.Answer(id); string(a.Reply) != "all" || len(rounds) < 2 {
			t.Errorf("%s: A hears %s after rounds of %s instructions", method, a, rounds)
		}
	}
}
