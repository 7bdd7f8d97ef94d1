package canister

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/canisterd/canisterd/canister/internal/wasm"
)

// form says what code has that observes it. All forms of a module have the same results and charges, so a canister
// changes between them from one run to the next. The code that an engine compiles first has the zero form, with coverage
// if the engine collects that of all canisters.
type form struct {
	probes   bool // it tells which functions begin and end, for profiles
	coverage bool // it tells which blocks run
	// positions says that backtraces have positions, which the code that was compiled first does not have: debug
	// information was given since.
	positions bool
}

// key returns the key of the module with a hash in this form: the hash for the plain one.
func (f form) key(hash [32]byte) [32]byte {
	if f == (form{}) {
		return hash
	}
	return sha256.Sum256(fmt.Appendf(hash[:], "probes %t, coverage %t, positions %t", f.probes, f.coverage, f.positions))
}

// formKeys returns the keys of the module with a hash in all forms.
func formKeys(hash [32]byte) (keys [][32]byte) {
	either := [...]bool{false, true}
	for _, probes := range either {
		for _, coverage := range either {
			for _, positions := range either {
				keys = append(keys, form{probes, coverage, positions}.key(hash))
			}
		}
	}
	return keys
}

// codeOf returns the code in a form. Modules are rewritten again from the bytes as uploaded.
func (m *Module) codeOf(ctx context.Context, f form) (*wasm.Code, error) {
	e := m.engine
	key := e.keyOf(m.m.Hash, f)
	observed, ok := e.wasm.CachedModule(key)
	if !ok {
		uploaded, err := e.uploaded(m)
		if err != nil {
			return nil, err
		}
		observed, err = rewriteLinked(uploaded, e.rewriting(m.m.Hash, f))
		if err != nil {
			return nil, fmt.Errorf("rewrite module %x for a profile or coverage: %w", m.m.Hash[:8], err)
		}
		e.wasm.CacheModule(key, observed)
	}
	return e.wasm.Compile(ctx, observed)
}

// uploaded returns the bytes of a module as uploaded, which a canister or a snapshot has.
func (e *Engine) uploaded(m *Module) ([]byte, error) {
	if m.uploaded != nil {
		return m.uploaded, nil
	}
	b := e.find(m.m.Hash)
	if b == nil {
		return nil, fmt.Errorf("read module %x: no canister has it", m.m.Hash[:8])
	}
	defer b.release()
	return b.read()
}

// prepare chooses the form of the code for the next run, and begins what observes the run. A module that cannot have a
// form runs in that which it has: nothing that observes a run changes its result.
func (r *runner) prepare(c *Canister, sub *Subnet, entry Context) {
	profiled, coverage := sub.Profiled != nil && sub.Profiled(c.ID), coverageOf(sub, c.ID)
	r.use(form{probes: profiled, coverage: coverage != nil, positions: r.module.engine.sources.givenSince(r.module.m)})
	r.guest.Cover(coverage.wordsOf(r.module, r.guest.Code().Module()), coverage.clearedBetweenRuns())
	r.beginProfile(profiled, entry)
}

// use changes the form of the code. It is the zero form if the module cannot have another one.
func (r *runner) use(f form) {
	if f != (form{}) {
		code, known := r.forms[f]
		if !known {
			code, _ = r.module.codeOf(context.Background(), f)
			if r.forms == nil {
				r.forms = map[form]*wasm.Code{}
			}
			r.forms[f] = code
		}
		if code != nil && r.guest.Use(code) == nil {
			return
		}
		r.forms[f] = nil
	}
	if err := r.guest.Use(r.module.code); err != nil {
		panic(fmt.Errorf("canister: return to the code that was installed: %w", err))
	}
}
