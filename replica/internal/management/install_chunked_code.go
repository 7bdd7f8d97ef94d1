package management

import (
	"crypto/sha256"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// installChunkedCode implements install_chunked_code: install_code with a module whose chunks are in the chunk store of
// a canister of this subnet.
func installChunkedCode(c *state.ManagementCall, a *installChunkedArg) state.Answer {
	store, reject := storeOf(c, a)
	if reject != nil {
		return state.Fail(reject)
	}
	if len(a.Hash) != HashBytes {
		return state.Fail(rejectModuleHash(a.Hash))
	}
	r, reject := controlled(c, a.Target)
	if reject != nil {
		return state.Fail(reject)
	}
	if r.Running {
		return state.WhenIdle(r)
	}
	// Assembling costs an instruction for each byte; every chunk counts as a full one.
	work := uint64(len(a.Chunks)) * canister.ChunkBytes
	if reject := checkFunds(c, r, c.State.Environment.Fees.ManagementWork(work)); reject != nil {
		return state.Fail(rejectInstallOutOfCycles(reject))
	}
	module, reject := assemble(store, a)
	if reject != nil {
		charge(c, r, work)
		return state.Fail(reject)
	}
	return install(c, r, &canister.Install{Arg: a.Arg, Caller: c.Caller, Origin: originOf(c, a.Version)}, &a.Mode, module, work)
}

// storeOf returns the canister with the chunks: the caller itself, or one that it controls.
func storeOf(c *state.ManagementCall, a *installChunkedArg) (*state.Entry, *intercanister.Reject) {
	id := a.Target
	if a.Store != nil {
		id = *a.Store
	}
	store := c.State.Canisters.Get(id)
	if store == nil {
		return nil, rejectNoStore(id, c.State.ID, a.Target)
	}
	return store, mustOwn(store, c.Caller)
}

// assemble joins the chunks and checks the hash of the module.
func assemble(store *state.Entry, a *installChunkedArg) ([]byte, *intercanister.Reject) {
	var module []byte
	for _, chunk := range a.Chunks {
		if len(chunk.Hash) != HashBytes {
			return nil, rejectChunkStore("Chunk hash is invalid. The length is not 32")
		}
		piece, err := store.Canister.Chunks.Get([HashBytes]byte(chunk.Hash))
		switch {
		case err != nil:
			return nil, rejectFullDisk(store, err)
		case piece == nil:
			return nil, rejectChunkStore("Chunk hash %s was not found", listed(chunk.Hash))
		}
		module = append(module, piece...)
	}
	if hash := sha256.Sum256(module); hash != [HashBytes]byte(a.Hash) {
		return nil, rejectChunkStore("Wasm module hash %s does not match given hash WasmHash(%s)", listed(hash[:]), listed(a.Hash))
	}
	return module, nil
}
