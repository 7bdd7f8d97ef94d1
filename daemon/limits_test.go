package daemon

import (
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
)

func TestADaemonWantsAtLeast128MiB(t *testing.T) {
	d, err := Start(t.Context(), Config{Listen: "127.0.0.1:0", CacheDir: t.TempDir(), MemoryLimit: 134_217_727})
	const want = "a memory limit of 134217727 bytes is too low: use at least 134217728 (128MiB), or 0 for half of the memory of this machine"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	if err == nil {
		_ = d.Close()
	}
	started(t, Config{MemoryLimit: 134_217_728})
}

func TestTheMemoryOfADaemonIsShared(t *testing.T) {
	d := started(t, Config{MemoryLimit: 512 << 20})
	for what, c := range map[string]struct{ got, want int64 }{
		"counted bytes":      {d.memory.daemon.Limit(), 268_435_456},
		"the HTTP interface": {d.memory.requests.Limit(), 67_108_864},
		"the control API":    {d.memory.control.Limit(), 67_108_864},
		"an instance":        {d.memory.instance("x").Limit(), 201_326_592},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d bytes, want %d", what, c.got, c.want)
		}
	}
}

func TestTheMemoryOfAMachineIsWhatTheSystemSays(t *testing.T) {
	for want, files := range map[int64]map[string]string{
		8_589_934_592: {},
		268_435_456:   {"proc/meminfo": "MemTotal: 1 kB\n"},
		1_048_576_000: {"proc/meminfo": "MemTotal: 1024000 kB\n", "sys/fs/cgroup/memory.max": "max\n"},
		500_000_000:   {"proc/meminfo": "MemTotal: 1024000 kB\n", "sys/fs/cgroup/memory.max": "500000000\n"},
	} {
		root := fstest.MapFS{}
		for name, text := range files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := availableMemory(root); got != want {
			t.Errorf("%v: %d bytes, want %d", files, got, want)
		}
	}
}

func TestMemoryIsGivenBackFrom32MiBOnWhileLessThan16MiBAreAllocated(t *testing.T) {
	for _, c := range []struct {
		resident, allocated, freed int64 // since the beginning
		due                        bool
	}{
		{33_554_432, 0, 0, false},
		{33_554_433, 0, 0, true},
		{33_554_433, 16_777_215, 0, true},
		{33_554_433, 16_777_216, 0, false},
		{0, 1 << 30, 33_554_432, false},
		{0, 1 << 30, 33_554_433, true},
	} {
		const used = 40 << 20
		var r reclaimer
		r.due(used, memorySample{resident: 1 << 20, allocated: 1 << 30})
		if due := r.due(used-c.freed, memorySample{resident: 1<<20 + c.resident, allocated: 1<<30 + c.allocated}); due != c.due {
			t.Errorf("%+v: due is %t", c, due)
		}
	}
}

func TestIdleCanistersAreEvictedEveryTwoSeconds(t *testing.T) {
	m := newMemory(1 << 30)
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		go m.giveBack(t.Context(), func() int { calls++; return 0 })
		time.Sleep(6100 * time.Millisecond)
		synctest.Wait()
		if calls != 3 {
			t.Errorf("in six seconds idle canisters were evicted %d times", calls)
		}
	})
}

func TestMemoryOfManyEvictedCanistersIsGivenBack(t *testing.T) {
	sample := memorySample{resident: 100 << 20}
	for evicted, want := range map[int]bool{1024: false, 1025: true} {
		var r reclaimer
		r.due(0, sample)
		r.evicted = evicted
		if due := r.due(0, sample); due != want {
			t.Errorf("after %d canisters were evicted, memory is given back: %t", evicted, due)
		}
		if r.reclaimed(0, sample); r.evicted != 0 {
			t.Errorf("after it was given back, %d evicted canisters are counted", r.evicted)
		}
	}
}

func TestTheDaemonLooksEverySecondWhetherMemoryCanBeGivenBack(t *testing.T) {
	collections := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	m := newMemory(1 << 30)
	m.daemon.Charge(400 << 20)
	synctest.Test(t, func(t *testing.T) {
		go m.giveBack(t.Context(), func() int { return 0 })
		time.Sleep(1400 * time.Millisecond)
		m.daemon.Release(400 << 20)
		before := collections()
		time.Sleep(500 * time.Millisecond)
		if got := collections() - before; got != 0 {
			t.Errorf("after 1.9 s memory was given back in %d collections", got)
		}
		time.Sleep(200 * time.Millisecond)
		if collections() == before {
			t.Error("after 2.1 s no memory was given back")
		}
	})
}
