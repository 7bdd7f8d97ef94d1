package daemon

import (
	"testing"

	"github.com/canisterd/canisterd/api/control"
)

// BenchmarkAnInstanceIsCreatedAndDeleted is the whole life of an instance nobody asks
// anything of.
func BenchmarkAnInstanceIsCreatedAndDeleted(b *testing.B) {
	d, err := Start(b.Context(), Config{Listen: "127.0.0.1:0", CacheDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	b.ReportAllocs()
	for b.Loop() {
		i, err := d.Create(b.Context(), &control.Spec{})
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Delete(i.Name()); err != nil {
			b.Fatal(err)
		}
	}
}
