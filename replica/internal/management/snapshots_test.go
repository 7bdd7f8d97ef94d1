package management

import "testing"

func TestSnapshotsToUploadAreAsLargeAsCanistersMayBe(t *testing.T) {
	for _, x := range []struct {
		name string
		set  func(a *uploadSnapshotMetadataArg, size uint64)
		wide bool
		most uint64
		over map[uint64]string
	}{
		{
			"module", func(a *uploadSnapshotMetadataArg, size uint64) { a.ModuleSize = size }, false, 104_857_600,
			map[uint64]string{0: "WasmModuleEmpty", 104_857_601: "WasmModuleTooLarge"},
		},
		{
			"heap", func(a *uploadSnapshotMetadataArg, size uint64) { a.HeapSize = size }, false, 4_294_967_296,
			map[uint64]string{32_768: "WasmMemoryNotPageAligned", 65_537: "WasmMemoryNotPageAligned", 4_295_032_832: "WasmMemoryTooLarge"},
		},
		{
			"heap of 64 bits", func(a *uploadSnapshotMetadataArg, size uint64) { a.HeapSize = size }, true, 4_294_901_760,
			map[uint64]string{4_294_967_296: "WasmMemoryTooLarge"},
		},
		{
			"stable memory", func(a *uploadSnapshotMetadataArg, size uint64) { a.StableSize = size }, false, 536_870_912_000,
			map[uint64]string{32_768: "StableMemoryNotPageAligned", 65_537: "StableMemoryNotPageAligned", 536_870_977_536: "StableMemoryTooLarge"},
		},
		{
			"globals", func(a *uploadSnapshotMetadataArg, size uint64) { a.Globals = make([]global, size) }, false, 1000,
			map[uint64]string{1001: "ExportedGlobalsTooLarge"},
		},
		{
			"certified data", func(a *uploadSnapshotMetadataArg, size uint64) { a.Certified = make([]byte, size) }, false, 32,
			map[uint64]string{33: "CertifiedDataTooLarge"},
		},
	} {
		check := func(size uint64, want string) {
			a := uploadSnapshotMetadataArg{ModuleSize: 1}
			x.set(&a, size)
			if got := a.fault(x.wide); got != want {
				t.Errorf("%s of %d: %q, want %q", x.name, size, got, want)
			}
		}
		check(x.most, "")
		for size, want := range x.over {
			check(size, want)
		}
	}
}
