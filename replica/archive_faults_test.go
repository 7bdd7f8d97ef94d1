package replica_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// openPuppets is a network of puppets with something of most kinds that is open: calls
// between canisters and subnets, messages that wait and one that is parked, answers, timers.
func openPuppets(t testing.TB) (*replicatest.Stage, replica.Config) {
	s := replicatest.NewStage(t, replica.Config{Subnets: []replica.SubnetConfig{{Nodes: 4}, {Nodes: 4}}, RoundMessages: 2, SliceInstructions: 10_000})
	s.Create(3, plenty)
	other := s.OnSubnet(0, 0)
	if got := s.Call(other, "create", "1000000000000000"); !strings.HasPrefix(got, "replied") {
		t.Fatal(got)
	}
	s.Call(other, "install", "4194304 ")
	for i, program := range []string{
		"spend 50000 reply spent", "call 1 (call 2 (reply x) then (echo)) then (echo)", "call 4194304 cycles 7 (reply far) then (echo)", "call 2 within 30 (reply soon)", "timer 1620328700000000000 reply set", "trap here",
	} {
		s.Submit(i%3, "run", program)
	}
	s.Round()
	s.Submit(0, "run", "reply late")
	return s, s.Puppets.Config()
}

// openCanister is a network of a real canister with snapshots, chunks and a log, and of one
// whose upgrade is parked.
func openCanister(t testing.TB) (*real.Stage, replica.Config) {
	engine := canistertest.NewEngine(t)
	s := real.NewStage(t, replica.Config{Engine: engine, SliceInstructions: 2_000_000, Subnets: []replica.SubnetConfig{{Nodes: 1}}})
	for _, name := range []string{"A", "B"} {
		s.Create(name, 0, real.Plenty)
		s.Install(name, real.Install, canistertest.Scriptable(), nil)
	}
	run := func(text string) {
		p, err := canistertest.Parse(text, s.Names)
		if err != nil {
			t.Fatal(err)
		}
		s.Call("A", "run", p.Bytes())
	}
	run(`drop stable-grow(3); stable-write 70000, "stable"; heap-write 9000, "heap"; print "a line"; certify "shown"; reply "x"`)
	for _, method := range []string{"upload_chunk", "take_canister_snapshot"} {
		fields := ""
		if method == "upload_chunk" {
			fields = `chunk = blob "some bytes"`
		}
		if a := s.Manage("A", method, s.About("A", fields)); a.Status != "replied" {
			t.Fatal(a)
		}
	}
	run(`heap-write 9000, "other"; stable-write 70000, "others"; reply "y"`)
	s.SubmitManagement("A", "stop_canister", s.About("A", ""))
	s.SubmitManagement("B", "install_code", s.InstallArgs("B", real.Upgrade, canistertest.Variant{Heartbeat: true}.Module(), canistertest.Script().Busy(9_000_000).Bytes()))
	s.Round()
	s.SubmitManagement("B", "uninstall_code", s.About("B", ""))
	s.Round()
	return s, replica.Config{Engine: engine}
}

func TestANetworkInTheMiddleOfARoundIsNotExported(t *testing.T) {
	s := replicatest.NewStage(t, replica.Config{SliceInstructions: 1000})
	s.Create(2, plenty)
	s.Submit(0, "run", "spend 5000 reply done")
	s.Step(replica.FIFO{})
	err := s.Export(io.Discard)
	if want := "the network cannot be exported now: round 5 was begun by single steps, and is not over"; !errors.Is(err, replica.ErrBusy) || err.Error() != want {
		t.Errorf("export says %v, want %q", err, want)
	}
	s.Round()
	if err := s.Export(io.Discard); err != nil || s.Census().Parked != 1 {
		t.Errorf("with %d messages parked export says %v", s.Census().Parked, err)
	}
}

func TestADamagedFileOfANetworkIsNotImported(t *testing.T) {
	s, config := openPuppets(t)
	file := exported(t, s.Network)
	check := func(what string, at int, damaged []byte) {
		t.Helper()
		n, err := replica.Import(bytes.NewReader(damaged), config)
		if err == nil {
			n.Close()
			t.Fatalf("%s %d: it was imported", what, at)
		}
		var fault *archive.Fault
		if !errors.As(err, &fault) {
			t.Fatalf("%s %d: %v says not where", what, at, err)
		}
	}
	for at := 0; at < len(file); at += 37 {
		check("cut at byte", at, file[:at])
		damaged := bytes.Clone(file)
		damaged[at] ^= 1 << (at % 8)
		check("damaged at byte", at, damaged)
	}
}

func TestAnImportNeedsWhatTheFileNeeds(t *testing.T) {
	s, config := openCanister(t)
	file := exported(t, s.Network)
	config.Engine = nil
	if _, err := replica.Import(bytes.NewReader(file), config); err == nil || !strings.Contains(err.Error(), "there is no engine for modules") {
		t.Errorf("without an engine: %v", err)
	}
	other := canistertest.NewEngine(t)
	before := other.InUse()
	for _, cut := range []int{len(file) / 3, len(file) / 2, len(file) - 40} {
		if _, err := replica.Import(bytes.NewReader(file[:cut]), replica.Config{Engine: other}); err == nil {
			t.Errorf("the first %d bytes of %d were imported", cut, len(file))
		}
	}
	n, err := replica.Import(bytes.NewReader(file), replica.Config{Engine: other})
	if err != nil {
		t.Fatal(err)
	}
	if stateHash(t, n) != stateHash(t, s.Network) {
		t.Error("on another engine it is another network")
	}
	n.Close()
	if after := other.InUse(); after != before {
		t.Errorf("%d bytes of the engine are in use after all were closed, %d before", after, before)
	}
}

// part is a section of a file with its whole content.
type part struct {
	name    string
	content []byte
}

// parts takes a file apart that is known to be good.
func parts(file []byte) (all []part) {
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		panic(err)
	}
	defer decoder.Close()
	rest := file[20:]
	number := func() int {
		n, size := binary.Uvarint(rest)
		rest = rest[size:]
		return int(n)
	}
	for rest[0] == 'S' {
		p := part{name: string(rest[2 : 2+rest[1]])}
		rest = rest[2+rest[1]:]
		for {
			kind := rest[0]
			rest = rest[1:]
			raw := number()
			if kind == 0 {
				rest = rest[4:]
				break
			}
			stored := number()
			content := rest[4 : 4+stored]
			if kind == 3 {
				var err error
				if content, err = decoder.DecodeAll(content, make([]byte, 0, raw)); err != nil {
					panic(err)
				}
			}
			p.content = append(p.content, content...)
			rest = rest[4+stored:]
		}
		all = append(all, p)
	}
	return all
}

// whole puts a file together again.
func whole(t testing.TB, all []part) []byte {
	var file bytes.Buffer
	c := archive.NewWriter(&file)
	for _, p := range all {
		c.Section(p.name, func() { c.Fixed(p.content) })
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestAFileCanBeTakenApart(t *testing.T) {
	s, _ := openCanister(t)
	file := exported(t, s.Network)
	if again := whole(t, parts(file)); !bytes.Equal(file, again) {
		t.Errorf("put together again it is another: %s", firstDifference(file, again))
	}
}

// edited changes bytes of the contents of a file, as edits says: which section, where,
// what.
func edited(t testing.TB, all []part, edits []byte) []byte {
	changed := make([]part, len(all))
	for i, p := range all {
		changed[i] = part{p.name, bytes.Clone(p.content)}
	}
	for ; len(edits) >= 4; edits = edits[4:] {
		p := &changed[int(edits[0])%len(changed)]
		if len(p.content) > 0 {
			p.content[int(binary.BigEndian.Uint16(edits[1:]))%len(p.content)] ^= edits[3]
		}
	}
	return whole(t, changed)
}

// FuzzImport imports any bytes, and good files in which bytes were changed whose
// checksums are right: it ends with an error or a network, which is exported again.
func FuzzImport(f *testing.F) {
	puppets, plain := openPuppets(f)
	cased, engined := openCanister(f)
	files := [2][]byte{exported(f, puppets.Network), exported(f, cased.Network)}
	configs := [2]replica.Config{plain, engined}
	apart := [2][]part{parts(files[0]), parts(files[1])}
	f.Add(byte(0), files[0])
	f.Add(byte(1), files[1])
	for which := range apart {
		for section := range apart[which] {
			f.Add(byte(2+which), []byte{byte(section), 0, 3, 1, byte(section), 0, 40, 0x80})
		}
	}
	f.Fuzz(func(t *testing.T, how byte, data []byte) {
		which := int(how) % 2
		if how%4 >= 2 {
			data = edited(t, apart[which], data)
		}
		n, err := replica.Import(bytes.NewReader(data), configs[which])
		if err != nil {
			return
		}
		defer n.Close()
		if err := n.Export(io.Discard); err != nil {
			t.Fatalf("what was imported cannot be exported: %v", err)
		}
	})
}
