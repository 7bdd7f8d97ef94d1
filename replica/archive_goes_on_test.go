package replica_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/introspect"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// crowdedStage is a network of two subnets in which as many kinds of things wait as a
// few rounds can bring about: calls both ways and best-effort ones, a message and an
// upgrade that are parked, a canister that stops, timers, heartbeats, HTTP outcalls,
// signatures, held messages with rules, snapshots, chunks.
func crowdedStage(t testing.TB) (*real.Stage, replica.Config) {
	engine := canistertest.NewEngine(t)
	s := real.NewStage(t, replica.Config{
		Engine: engine, SliceInstructions: 200_000, StreamMessages: 1, Subnets: []replica.SubnetConfig{{Nodes: 13}, {Nodes: 1}},
	})
	for i, name := range canisterNames {
		s.Create(name, i/4, real.Plenty)
		s.Install(name, real.Install, canistertest.Variant{Heartbeat: name == "C"}.Module(), nil)
	}
	run := func(name, program string) {
		t.Helper()
		p, err := canistertest.Parse(program, s.Names)
		if err != nil {
			t.Fatal(err)
		}
		if _, refused := s.Submit(name, "run", p.Bytes()); refused != "" {
			t.Fatal(refused)
		}
	}
	for method, fields := range map[string]string{"upload_chunk": `chunk = blob "some bytes"`, "take_canister_snapshot": ""} {
		if a := s.Manage("A", method, s.About("A", fields)); a.Status != "replied" {
			t.Fatal(a)
		}
	}
	a, e := s.ID("A"), s.ID("E")
	s.Apply(&replica.AddRule{Rule: replica.Rule{Match: replica.Match{Caller: &a, Callee: &e, Times: 1}, Action: replica.Action{Kind: replica.ActHold}}})
	s.Apply(&replica.AddRule{Rule: replica.Rule{Match: replica.Match{Caller: &e, Kind: replica.KindResponse, Times: 2}, Action: replica.Action{Kind: replica.ActDelay, Delay: 40_000_000_000}}})
	s.Apply(&replica.AddRule{Rule: replica.Rule{Match: replica.Match{Callee: &e, Kind: replica.KindIngress, Skip: 1, Times: 1}, Action: replica.Action{Kind: replica.ActHold}}})
	run("A", `drop timer(add(time, 5_000_000_000)); certify "x"; print "line"; print "more"; set 7; reply "x"`)
	s.Round()
	blob := func(fields string) (text string) {
		for _, b := range s.Args("(" + fields + ")") {
			text += fmt.Sprintf(`\%02x`, b)
		}
		return text
	}
	get := blob(`record { url = "https://example.com/"; method = variant { get }; headers = vec { record { name = "Accept"; value = "text/plain" } } }`)
	sign := blob(`record { message = blob "any"; derivation_path = vec { blob "Hello" }; key_id = record { algorithm = variant { ed25519 }; name = "key_1" } }`)
	run("D", fmt.Sprintf(`call management.http_request("%s") cycles 100_000_000_000`, get))
	for range 2 {
		run("A", `call E.run(reply "y") on-reply(reply arg); call E.run(reply "y") cycles 77; call B.run(reply "y")`)
		run("B", `call A.run(reply "y") within 30 on-reply(reply arg); call management.raw_rand("DIDL\00\00")`)
		run("E", `call A.run(reply "y") cycles 5 on-reply(reply arg); call A.run(reply "z") within 20`)
	}
	run("C", `call D.run(spin 3_000_000; reply "x") on-reply(reply "x")`)
	s.Round()
	run("A", `call D.run(reply "y") cycles 9; call D.run(reply "y") within 300`)
	s.Round()
	s.SubmitManagement("D", "stop_canister", s.About("D", ""))
	s.SubmitManagement("B", "install_code", s.InstallArgs("B", real.Upgrade, canistertest.Scriptable(), canistertest.Script().Busy(900_000).Bytes()))
	s.Round()
	s.SubmitManagement("B", "uninstall_code", s.About("B", ""))
	run("C", `reply "z"`)
	for _, name := range []string{"A", "E"} {
		run("C", `call E.run(reply "u") within 40; call E.run(reply "v"); call E.run(reply "w")`)
		run(name, fmt.Sprintf(`call management.sign_with_schnorr("%s") cycles 100_000_000_000`, sign))
	}
	s.Round()
	run("A", `call B.run(reply "w") within 50; call C.run(reply "w"); reply "q"`)
	return s, replica.Config{Engine: engine}
}

// goOn lets a network that was imported go on for some rounds, while time advances by
// steps from a nanosecond to days, and looks at it as one looks at networks. A fork of it
// goes on as well, and it is exported before and after. It is closed then.
func goOn(t testing.TB, n *replica.Network, config replica.Config) {
	defer n.Close()
	if err := n.Export(io.Discard); err != nil {
		t.Fatalf("what was imported cannot be exported: %v", err)
	}
	f := n.Fork(replica.ForkConfig{})
	defer f.Close()
	for i, seconds := range []uint64{0, 0, 1, 0, 35, 0, 0, 330, 0, 2 * 86400, 0, 0} {
		now := n.View().Time
		n.Apply(replica.AdvanceTo(now + min(seconds*1_000_000_000, math.MaxUint64-now)))
		n.Round()
		if i%3 == 0 {
			lookAt(n)
			if f.Round(); i == 3 {
				meddleWith(f)
			}
		}
	}
	var file bytes.Buffer
	if err := n.Export(&file); err != nil {
		t.Fatalf("what was imported and went on cannot be exported: %v", err)
	}
	if n.View().Time > math.MaxInt64 {
		return // it was at the end of all times
	}
	again, err := replica.Import(&file, config)
	if err != nil {
		t.Fatalf("what was imported and went on cannot be imported again: %v", err)
	}
	defer again.Close()
	if stateHash(t, again) != stateHash(t, n) {
		t.Fatal("what was imported and went on is another network when it is imported again")
	}
}

// lookAt asks a network for everything that can be seen in it.
func lookAt(n *replica.Network) {
	page := introspect.Page{Limit: 100}
	n.Introspect().Contexts(page)
	n.Introspect().Futures(page)
	n.Introspect().Messages(page)
	n.Introspect().Timers(page)
	n.Introspect().Held(0, 0, 100)
	n.Outcalls()
	n.Census()
	n.Introspect().AuditCycles()
	n.Rules()
	n.RootHash()
	for _, r := range n.Introspect().Reports(principal.Principal{}, 10) {
		n.PrepareQuery(&replica.Query{Receiver: r.ID, Effective: r.ID, Method: "query"}).Run()
		about := append([]byte("DIDL\x01\x6c\x01\xb3\xc4\xb1\xf2\x04\x68\x01\x00\x01\x0a"), r.ID.Bytes()...) // (record { canister_id })
		for _, method := range []string{"canister_status", "canister_metrics", "fetch_canister_logs"} {
			for _, c := range r.Settings.Controllers {
				n.PrepareQuery(&replica.Query{Sender: c, Receiver: principal.Management, Effective: r.ID, Method: method, Arg: about}).Run()
			}
		}
	}
}

// meddleWith uses test controls on a network: it lets held messages go, answers
// calls, fires timers, gives cycles.
func meddleWith(n *replica.Network) {
	for _, h := range n.Introspect().Held(0, 0, 100) {
		n.Apply(replica.ReleaseHeld{ID: h.ID})
	}
	futures, _ := n.Introspect().Futures(introspect.Page{Limit: 100})
	for i := range futures {
		n.Apply(&replica.SettleCall{Subnet: futures[i].Subnet, Call: futures[i].Call, Answer: replica.Settlement{Reply: []byte("x")}})
	}
	for _, r := range n.Introspect().Reports(principal.Principal{}, 10) {
		n.Apply(replica.FireTimer{Canister: r.ID})
	}
	for _, o := range n.Outcalls() {
		n.Apply(&replica.HTTPAnswer{Subnet: o.Subnet, Number: o.Number, Answers: []replica.OutcallAnswer{{Status: 200}}})
	}
	n.Round()
}

// reworked changes the contents of a file as edits say, five bytes each: which section,
// where, what, with what.
func reworked(t testing.TB, all []part, edits []byte) []byte {
	changed := slices.Clone(all)
	for ; len(edits) >= 5; edits = edits[5:] {
		p := &changed[int(edits[0])%len(changed)]
		if len(p.content) == 0 || strings.HasPrefix(p.name, "module ") {
			continue
		}
		at := int(binary.BigEndian.Uint16(edits[1:])) % len(p.content)
		before, rest := slices.Clip(p.content[:at]), p.content[at:]
		n := min(len(rest), 1+int(edits[4]))
		switch edits[3] % 5 {
		case 0:
			p.content = slices.Concat(before, []byte{rest[0] ^ edits[4]}, rest[1:])
		case 1:
			p.content = slices.Concat(before, []byte{edits[4]}, rest[1:])
		case 2: // what is there twice
			p.content = slices.Concat(before, rest[:n], rest)
		case 3: // what is not there
			p.content = slices.Concat(before, rest[n:])
		default: // another number
			_, size := binary.Uvarint(rest)
			p.content = slices.Concat(binary.AppendUvarint(before, 1<<(edits[4]%64)-uint64(edits[4]>>6&1)), rest[max(1, size):])
		}
	}
	return whole(t, changed)
}

// FuzzImportedNetworksGoOn imports good files in which contents were changed and all
// checksums and roots are right: what is imported goes on as any network does.
func FuzzImportedNetworksGoOn(f *testing.F) {
	var apart [3][]part
	var configs [3]replica.Config
	puppets, config := openPuppets(f)
	apart[0], configs[0] = parts(exported(f, puppets.Network)), config
	s, config := openCanister(f)
	apart[1], configs[1] = parts(exported(f, s.Network)), config
	s, config = crowdedStage(f)
	apart[2], configs[2] = parts(exported(f, s.Network)), config
	for which := range apart {
		for section := range apart[which] {
			for how := range byte(5) {
				f.Add(byte(which), []byte{byte(section), 0, 7 * how, how, 1})
			}
		}
	}
	// The configuration decides what is made of everything else, so each of its bytes is a seed: a run of ten seconds
	// hits few of them by chance.
	for which := range apart {
		section := slices.IndexFunc(apart[which], func(p part) bool { return p.name == "network" })
		for at := range len(apart[which][section].content) {
			for _, value := range []byte{0, 1} {
				f.Add(byte(which), []byte{byte(section), byte(at >> 8), byte(at), 1, value})
			}
		}
	}
	f.Fuzz(func(t *testing.T, which byte, edits []byte) {
		which %= byte(len(apart))
		n, err := replica.ImportForged(bytes.NewReader(reworked(t, apart[which], edits)), configs[which])
		if err == nil {
			goOn(t, n, configs[which])
		}
	})
}
