package generated_test

import (
	"testing"

	"github.com/canisterd/canisterd/internal/candid/generated"
)

func TestMethodsOfCompilersAreToldFromThoseOfAuthors(t *testing.T) {
	for name, want := range map[string]bool{
		"__motoko_async_helper": true, "__motoko_gc_trigger": true, "@motoko_async_stabilization": true,
		"withdraw": false, "__step": false, "motoko_version": false, "": false,
	} {
		if got := generated.Method(name); got != want {
			t.Errorf("%q is a compiler's: %t, want %t", name, got, want)
		}
	}
}

func TestAwaitsOfAsynchronousBlocksAreFound(t *testing.T) {
	for _, c := range []struct {
		caller, callee string
		want           bool
	}{
		{"clock.", "clock.__motoko_async_helper", true},
		{"clock.tick", "clock.save", false},
		{"clock.tick", "bank.__motoko_async_helper", false},
	} {
		if got := generated.Await(c.caller, c.callee); got != c.want {
			t.Errorf("%s > %s is of a compiler: %t, want %t", c.caller, c.callee, got, c.want)
		}
	}
}
