package wasm

import (
	"runtime"
	"testing"
)

// A hundred thousand evicted guests fit one machine: each costs its committed pages and a record of a few hundred
// bytes.
func TestManyGuestsAreEvicted(t *testing.T) {
	const guests, most = 20_000, 1 << 10
	e := newTestEngine(t, Config{MaxResident: 100})
	code := compiled(t, e, counter)
	all := make([]*Guest, guests)
	before := heapInUse()
	for i := range all {
		g, err := e.NewGuest(code)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = g
	}
	each := (heapInUse() - before) / guests
	t.Logf("%d bytes of Go heap for each guest, %d of them resident", each, e.Resident())
	if each > most {
		t.Errorf("a guest costs %d bytes of Go heap, want at most %d", each, most)
	}
	for i := 0; i < guests; i += 97 {
		run(t, all[i], "inc")
		commit(t, all[i])
	}
	for i := 0; i < guests; i += 97 {
		if got := notes(t, all[i], "heap"); got != 8 {
			t.Errorf("guest %d: heap has %d", i, got)
		}
		all[i].Rollback()
	}
	for _, g := range all {
		g.Close()
	}
	if n := e.File().InUse(); n != 0 {
		t.Errorf("%d bytes of the checkpoint file are still in use", n)
	}
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // what finalizers held
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}
