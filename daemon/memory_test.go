package daemon

import "testing"

func TestMemoryIsGivenBackWhenTheLoadEndsOrMuchWasFreed(t *testing.T) {
	const mib = 1 << 20
	type tick struct {
		used, resident, allocated int64 // MiB, allocated since the tick before
		due                       bool
	}
	for name, ticks := range map[string][]tick{
		"idle from the start":        {{0, 50, 0, false}, {0, 50, 0, false}},
		"busy":                       {{0, 50, 100, false}, {100, 400, 100, false}, {100, 400, 100, false}},
		"the load ends":              {{0, 50, 100, false}, {0, 400, 100, false}, {0, 400, 1, true}, {0, 60, 0, false}, {0, 60, 0, false}, {0, 60, 0, false}},
		"much is freed under load":   {{100, 200, 100, false}, {10, 200, 100, true}, {100, 200, 100, false}, {10, 200, 100, false}, {10, 200, 100, true}},
		"little is freed under load": {{100, 200, 100, false}, {80, 200, 100, false}},
	} {
		r, allocated := reclaimer{}, int64(0)
		for i, k := range ticks {
			allocated += k.allocated * mib
			sample := memorySample{resident: k.resident * mib, allocated: allocated}
			if due := r.due(k.used*mib, sample); due != k.due {
				t.Errorf("%s: at tick %d memory is given back: %t, want %t", name, i, due, k.due)
			} else if due {
				r.reclaimed(k.used*mib, memorySample{resident: 50 * mib, allocated: allocated})
			}
		}
	}
}
