package component

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// growing is a core module with a memory, or a table, and a function that grows it and gives its result.
func growing(limits, instruction string, kind byte) string {
	item := limits
	if kind == 4 {
		item = string(coreFuncref) + limits
	}
	return emptyCore + section(1, vector("\x60\x01\x7f\x01\x7f")) + section(3, vector("\x00")) + section(kind, vector(item)) +
		section(7, vector(text("grow")+"\x00\x00")) + section(10, vector(text("\x00"+instruction+"\x0b")))
}

const (
	growMemory = "\x20\x00\x40\x00"
	growTable  = "\xd0\x70\x20\x00\xfc\x0f\x00"
)

// exportingGrow is a component with instances of core modules, of which it exports the functions grow0, grow1, …
func exportingGrow(modules ...string) string {
	var parts, instances, aliases, lifts, exports []string
	for i, module := range modules {
		parts = append(parts, section(sectionCoreModule, module))
		instances = append(instances, "\x00"+number(i)+"\x00")
		aliases = append(aliases, "\x00\x00\x01"+number(i)+text("grow"))
		lifts = append(lifts, "\x00\x00"+number(i)+"\x00\x00")
		exports = append(exports, "\x00"+text(fmt.Sprintf("grow%d", i))+"\x01"+number(i)+"\x00")
	}
	parts = append(parts, section(sectionCoreInstance, vector(instances...)), section(sectionAlias, vector(aliases...)),
		section(sectionType, vector("\x40"+vector(text("n")+"\x79")+"\x00\x7a")), section(sectionCanon, vector(lifts...)),
		section(sectionExport, vector(exports...)))
	return build(parts...)
}

// limited makes an instance with a memory limit.
func limited(t testing.TB, binary string, bytes uint64) (*Instance, error) {
	c, err := Compile(t.Context(), []byte(binary))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c.Instantiate(t.Context(), nil, WithMemoryLimit(bytes))
}

func TestMemoriesGrowUpToTheLimitOfAllTogether(t *testing.T) {
	unbounded, most := "\x00\x01", "\x01\x01"+number(65_536)
	i, err := limited(t, exportingGrow(growing(unbounded, growMemory, 5), growing(most, growMemory, 5)), 100<<16)
	if err != nil {
		t.Fatal(err)
	}
	i.returns(t, int32(1), "grow0", uint32(48))
	i.returns(t, int32(-1), "grow1", uint32(60))
	i.returns(t, int32(1), "grow1", uint32(30))
	i.returns(t, int32(-1), "grow0", uint32(30))
	i.returns(t, int32(49), "grow0", uint32(0))
}

func TestAMemoryWhoseMinimumExceedsTheLimitIsRefused(t *testing.T) {
	for name, test := range map[string]struct{ module, reason string }{
		"a memory":        {growing("\x00"+number(101), growMemory, 5), "the smallest size of the memory of core module 0 takes 6619136 bytes"},
		"a shared memory": {growing("\x03"+number(101)+number(65_536), growMemory, 5), "the smallest size of the memory of core module 0 takes 6619136 bytes"},
		"a table":         {growing("\x00"+number(10_000_000), growTable, 4), "an instance of core module 0 takes 80"},
	} {
		_, err := limited(t, exportingGrow(test.module), 100<<16)
		if err == nil || !strings.Contains(err.Error(), test.reason) || !strings.Contains(err.Error(), "its memory limit is 6553600") {
			t.Errorf("%s: %v, want %q and the limit", name, err, test.reason)
		}
	}
}

func TestASharedMemoryGrowsInItsPlace(t *testing.T) {
	i, err := limited(t, exportingGrow(growing("\x03\x01"+number(65_536), growMemory, 5)), 100<<16)
	if err != nil {
		t.Fatal(err)
	}
	i.returns(t, int32(1), "grow0", uint32(45))
	i.returns(t, int32(-1), "grow0", uint32(10))
}

func TestATableGrowsByTheLimit(t *testing.T) {
	i, err := limited(t, exportingGrow(growing("\x00\x05", growTable, 4), growing("\x01\x05\x09", growTable, 4)), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	i.returns(t, int32(5), "grow0", uint32(65_536))
	i.returns(t, int32(-1), "grow0", uint32(1))
	i.returns(t, int32(5), "grow1", uint32(4))
	i.returns(t, int32(-1), "grow1", uint32(1))
}

// The trap of a component that got no memory says so: its own words are usually that it reached unreachable code.
func TestATrapAfterMemoryWasRefusedNamesTheLimit(t *testing.T) {
	orUnreachable := growMemory + "\x22\x00\x41\x7f\x46\x04\x40\x00\x0b\x20\x00"
	i, err := limited(t, exportingGrow(growing("\x00\x01", orUnreachable, 5)), 100<<16)
	if err != nil {
		t.Fatal(err)
	}
	i.returns(t, int32(1), "grow0", uint32(1))
	_, err = i.Call(t.Context(), "grow0", uint32(200))
	want := "unreachable (memory.grow to 13238272 bytes was refused: the instance has "
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "its memory limit is 6553600)") {
		t.Errorf("%v, want %q and the limit", err, want)
	}
}

// Whatever a component has many of, the heap that its instances take is not above the limit.
func TestInstancesTakeNoMoreThanTheirLimit(t *testing.T) {
	const limit, most = 64 << 20, 1_000
	null := func(n int) string { return repeated(n, "\xd0\x70\x0b") }
	one := section(1, vector("\x60\x00\x00"))
	for name, module := range map[string]string{
		"globals":        emptyCore + section(6, repeated(50_000, "\x7f\x01\x41\x00\x0b")),
		"tables":         emptyCore + section(4, repeated(10_000, "\x70\x01\x01\x01")),
		"growing tables": emptyCore + section(4, repeated(10, "\x70\x00\x00")),
		"elements":       emptyCore + section(9, vector("\x05\x70"+null(100_000))),
		"functions":      emptyCore + one + section(3, vector("\x00")) + section(9, vector("\x01\x00"+repeated(100_000, "\x00"))) + section(10, vector(text("\x00\x0b"))),
		"data segments":  emptyCore + section(5, vector("\x00\x01")) + section(12, number(50_000)) + section(11, repeated(50_000, "\x01\x00")),
		"memories":       emptyCore + section(5, vector("\x00\x10")),
		"tags":           emptyCore + one + section(13, repeated(50_000, "\x00\x00")),
		"nothing":        emptyCore,
		"definitions":    "",
	} {
		t.Run(name, func(t *testing.T) {
			parts := []string{section(sectionCoreModule, module), section(sectionCoreInstance, repeated(most-1, "\x00\x00\x00"))}
			if module == "" { // a component with many definitions
				parts = []string{
					section(sectionComponent, build(section(sectionCoreInstance, vector("\x01\x00")), section(sectionInstance, repeated(500, "\x01\x00")))),
					section(sectionInstance, repeated(most-1, "\x00\x00\x00")),
				}
			}
			c, err := Compile(t.Context(), []byte(build(parts...)))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close(context.Background()) }()
			h := &host{component: c, starts: map[*thread]func(){}, memory: memoryBudget{limit: limit}}
			h.ctx = h.within(t.Context())
			before := heap()
			err = traps(func() { h.instantiate(&componentCode{scope: c.scope}, nil, nil) })
			took := heap() - before
			t.Logf("%d instances, %d bytes counted, %d bytes of heap, %v", h.instances, h.memory.used, took, err)
			if took > h.memory.used {
				t.Errorf("%d instances take %d bytes, and %d were counted", h.instances, took, h.memory.used)
			}
			runtime.KeepAlive(h)
		})
	}
}
