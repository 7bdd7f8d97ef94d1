package replica_test

import (
	"flag"
	"runtime"
	"strconv"
	"testing"

	"github.com/canisterd/canisterd/replica"
)

// installed is how many canisters the test of density installs; 100,000 must fit
// one machine:
//
//	go test ./replica -run Density -installed 100000 -v
var installed = flag.Int("installed", 2_000, "canisters the test of density installs")

// bytesPerCanister bounds the Go memory of an installed canister: its record,
// history, part of the certified tree, and while it is one of the 16,000 that
// are ready to run, its instance. Its heap lies in the checkpoint file. Ours.
const bytesPerCanister = 64 << 10

func TestDensityOfInstalledCanistersLeavesRoomForAHundredThousand(t *testing.T) {
	s := wasmStage(t, replica.Config{}, 1)
	before := heapInUse()
	first := s.Run(0, string(script().Count(1).ReplyText("here").Bytes()))
	expect(t, "the first canister", first, "replied: here")
	for n := 1; n < *installed; n++ {
		if got := s.Call(n, "create", "1000000000000000000"); len(got) < 7 || got[:7] != "replied" {
			t.Fatalf("create canister %d: %s", n, got)
		}
		if got := s.Call(n, "install", strconv.Itoa(n)+" "); got != "replied: installed" {
			t.Fatalf("install canister %d: %s", n, got)
		}
	}
	each := (heapInUse() - before) / uint64(*installed)
	t.Logf("%d canisters, %d bytes of Go memory each", *installed, each)
	if each > bytesPerCanister {
		t.Errorf("a canister takes %d bytes of Go memory, more than %d", each, bytesPerCanister)
	}
	for _, n := range []int{0, *installed / 2, *installed - 1} {
		expect(t, "canister "+strconv.Itoa(n), s.Run(n, string(script().Count(1).ReplyText("awake").Bytes())), "replied: awake")
	}
}

// heapInUse is the Go memory in use after a collection.
func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
