package replica_test

import (
	"bytes"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// drawn is what raw_rand gives canisters A and E, on two subnets, one after the other.
func drawn(t *testing.T, s *real.Stage) (all []string) {
	t.Helper()
	for _, name := range []string{"A", "E", "A"} {
		a := s.Call(name, "run", compiled(t, s, `call management.raw_rand("DIDL\00\00") on-reply(reply arg)`))
		if len(a.Reply) < 32 {
			t.Fatalf("%s draws %s", name, a)
		}
		all = append(all, string(a.Reply))
	}
	return all
}

// keysOf are the public keys of the network and its subnets.
func keysOf(s *real.Stage) string {
	all := bytes.Clone(s.RootKey())
	for i := range s.View().Subnets {
		all = append(all, s.View().Subnets[i].PublicKey...)
	}
	return string(all)
}

func TestAForkWithASeedOfItsOwnDrawsOtherwiseAndHasTheSamePastAndKeys(t *testing.T) {
	s := real.NewStage(t, replica.Config{Subnets: []replica.SubnetConfig{{Nodes: 13}, {Nodes: 13}}})
	for i, name := range []string{"A", "E"} {
		s.Create(name, i, real.Plenty)
		s.Install(name, real.Install, canistertest.Scriptable(), nil)
	}
	drawn(t, s)
	asked, _ := s.Submit("A", "run", compiled(t, s, `call management.raw_rand("DIDL\00\00") on-reply(reply arg)`))
	s.Round() // it is drawn in the next
	one, two := [32]byte{1}, [32]byte{2}
	forks := map[string]*real.Stage{
		"plain": s.Fork(replica.ForkConfig{}), "one": s.Fork(replica.ForkConfig{Reseed: &one}), "one again": s.Fork(replica.ForkConfig{Reseed: &one}),
		"two": s.Fork(replica.ForkConfig{Reseed: &two}),
	}
	forks["one of one"] = forks["one"].Fork(replica.ForkConfig{Reseed: &one})
	forks["zero"] = s.Fork(replica.ForkConfig{Reseed: new([32]byte)}) // is a seed
	draws := make(map[string]string)
	for name, f := range forks {
		if f.RootHash() != s.RootHash() || f.Seed() != s.Seed() {
			t.Errorf("fork %s begins with another state", name)
		}
	}
	forks["source"] = s
	keys := make(map[string]bool)
	for name, f := range forks {
		f.Round()
		draws[name] = string(f.Answer(asked).Reply)
		for _, d := range drawn(t, f) {
			draws[name] += d
		}
		keys[keysOf(f)] = true
	}
	if len(keys) != 1 {
		t.Errorf("the forks have %d different sets of keys", len(keys))
	}
	if draws["plain"] != draws["source"] || draws["one"] != draws["one again"] || forks["one"].RootHash() != forks["one again"].RootHash() {
		t.Error("two forks that are to draw the same do not")
	}
	different := make(map[string]string)
	for _, name := range []string{"source", "one", "two", "one of one", "zero"} {
		for at := 0; at < len(draws[name]); at += len(draws[name]) / 4 { // each of the four draws
			d := draws[name][at : at+len(draws[name])/4]
			if other := different[d]; other != "" {
				t.Errorf("%s draws what %s draws", name, other)
			}
			different[d] = name
		}
	}
}

func TestAForkWithASeedOfItsOwnSignsWithTheSameThresholdKeys(t *testing.T) {
	const ed25519 = `derivation_path = vec { blob "one" }; key_id = record { algorithm = variant { ed25519 }; name = "dfx_test_key" }`
	s := signer(t)
	f := s.Fork(replica.ForkConfig{Reseed: &[32]byte{1}})
	var keys, signatures [2][]byte
	for i, stage := range []*real.Stage{s, f} {
		var key publicKey
		var signed signature
		asked(t, stage, "schnorr_public_key", `(record { canister_id = null : opt principal; `+ed25519+` })`, &key)
		asked(t, stage, "sign_with_schnorr", `(record { message = blob "the message, 32 bytes, hashed..."; `+ed25519+` })`, &signed)
		keys[i], signatures[i] = key.Key, signed.Signature
	}
	if len(keys[0]) != 32 || !bytes.Equal(keys[0], keys[1]) || !bytes.Equal(signatures[0], signatures[1]) {
		t.Errorf("the source signs with key %x: %x, its fork with %x: %x", keys[0], signatures[0], keys[1], signatures[1])
	}
}
