package management

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

const chunkHelp = "\nUse the `stored_chunks` API to check which hashes are present or top up the canister if it is low on cycles. " +
	"See documentation: https://internetcomputer.org/docs/current/references/execution-errors#wasm-chunk-store-error"

func (r *rig) upload(chunk string) []byte {
	r.Helper()
	var out chunkHash
	r.replied(r.byUser(alice, "upload_chunk", uploadArg{r.target.ID(), []byte(chunk)}), &out)
	return out.Hash
}

func TestChunksAreStoredByTheirHashAndPaidFor(t *testing.T) {
	r := newRig(t)
	hash := r.upload("one")
	if want := sha256.Sum256([]byte("one")); !bytes.Equal(hash, want[:]) {
		t.Errorf("hash %x", hash)
	}
	r.upload("two")
	r.upload("one") // costs again and changes nothing
	var stored []chunkHash
	r.replied(r.byUser(alice, "stored_chunks", idArg{r.target.ID()}), &stored)
	if len(stored) != 2 || slices.Compare(stored[0].Hash, stored[1].Hash) >= 0 {
		t.Errorf("stored %x", stored)
	}
	price := r.sub.Fees.ManagementWork(UploadChunkInstructions).Mul(3)
	if k := r.target.Canister; k.Balance.Add(price) != cycles.Of(1_000_000_000_000) || k.Consumed.Instructions != price || k.Version != 0 || k.History.Total != 0 {
		t.Errorf("balance %s, consumed %s, version %d", k.Balance, k.Consumed.Instructions, k.Version)
	}
	r.replied(r.byUser(alice, "clear_chunk_store", idArg{r.target.ID()}))
	r.replied(r.byUser(alice, "stored_chunks", idArg{r.target.ID()}), &stored)
	if len(stored) != 0 {
		t.Errorf("stored %x", stored)
	}
}

func TestChunksTooLargeOrTooManyAreRefused(t *testing.T) {
	r := newRig(t)
	r.rejected(r.byUser(alice, "upload_chunk", uploadArg{r.target.ID(), make([]byte, 1<<20+1)}), intercanister.CanisterContractViolation,
		"Error from Wasm chunk store: Wasm chunk size 1048577 exceeds the maximum chunk size of 1048576."+chunkHelp)
	for i := range canister.MaxChunks {
		if err := r.target.Canister.Chunks.Put(r.Engine(), []byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	r.target.Canister.Settings.FreezingThreshold = 0
	r.rejected(r.byUser(alice, "upload_chunk", uploadArg{r.target.ID(), []byte("one more")}), intercanister.CanisterContractViolation,
		"Error from Wasm chunk store: Wasm chunk store has already reached maximum capacity of 104857600 bytes or the maximum number of entries, 100."+chunkHelp)
	r.upload("\x07") // it is there already
}

func TestAChunkThatCannotBePaidIsRefused(t *testing.T) {
	r := newRig(t)
	r.target.Canister.Balance = cycles.Of(199_999_999)
	r.target.Canister.Settings.FreezingThreshold = 0
	id := r.target.ID().String()
	r.rejected(r.byUser(alice, "upload_chunk", uploadArg{r.target.ID(), []byte("x")}), intercanister.CanisterContractViolation,
		"Error from Wasm chunk store: Error charging for 'upload_chunk': Canister "+id+
			" is out of cycles: please top up the canister with at least 1 additional cycles."+chunkHelp)
	r.rejected(r.byCanister(r.target, 0, "upload_chunk", uploadArg{r.target.ID(), []byte("x")}), intercanister.CanisterContractViolation,
		"Error from Wasm chunk store: Error charging for 'upload_chunk': Canister "+id+" is out of cycles."+chunkHelp)

	r.target.Canister.Balance = cycles.Of(200_000_001)
	r.target.Canister.Settings.FreezingThreshold = 86_400
	r.sub.Fees.BaseSecond = 0
	r.rejected(r.byUser(alice, "upload_chunk", uploadArg{r.target.ID(), []byte("x")}), intercanister.InsufficientCyclesInMemoryGrow,
		"Canister cannot grow memory by 1048576 bytes due to insufficient cycles. At least 26_789_061 additional cycles are required.\n…")
	if r.target.Canister.Chunks.Len() != 0 {
		t.Error("the chunk was stored")
	}
}

func TestAChunkNeedsRoomOnTheSubnet(t *testing.T) {
	r := newRig(t)
	r.sub.MemoryUsed = r.sub.Limits.SubnetMemory - 1000
	r.rejected(r.byUser(alice, "upload_chunk", uploadArg{r.target.ID(), []byte("x")}), intercanister.SubnetOversubscribed,
		"Canister requested 1.00 MiB of memory but only 1000 B are available in the subnet.\n…")
	r.sub.MemoryUsed = r.sub.Limits.SubnetMemory - 1<<20
	r.target.Canister.Settings.ReservedLimit = cycles.Of(1)
	r.rejected(r.byUser(alice, "upload_chunk", uploadArg{r.target.ID(), []byte("x")}), intercanister.ReservedCyclesLimitExceededInMemoryGrow,
		"Canister cannot grow memory by 1048576 bytes due to its reserved cycles limit. The current limit (1) would be exceeded by …")
	r.target.Canister.Settings.ReservedLimit = cycles.Max
	r.upload("x")
	if r.target.Canister.Reserved.IsZero() {
		t.Error("nothing was reserved")
	}
}

// chunked is a call of install_chunked_code with these chunks of the module "ab".
func chunked(r *rig, hashes ...[]byte) installChunkedArg {
	whole := sha256.Sum256([]byte("ab"))
	a := installChunkedArg{Mode: installMode{Install: null}, Target: r.target.ID(), Hash: whole[:], Arg: []byte("arg")}
	for _, hash := range hashes {
		a.Chunks = append(a.Chunks, chunkHash{Hash: hash})
	}
	return a
}

func TestChunksBecomeAModule(t *testing.T) {
	r := newRig(t)
	one, two := r.upload("a"), r.upload("b")
	before := r.target.Canister.Balance
	r.replied(r.byUser(alice, "install_chunked_code", chunked(r, one, two)))
	if string(r.prepared) != "ab" || string(r.installed.Arg) != "arg" || r.installed.Caller != alice || r.installed.Origin.Principal != alice {
		t.Errorf("prepared %q, installed %+v", r.prepared, r.installed)
	}
	if paid := before.Sub(r.target.Canister.Balance); paid != r.sub.Fees.ManagementWork(2<<20) {
		t.Errorf("assembling cost %s", paid)
	}
}

func TestChunksThatDoNotFitAreRefused(t *testing.T) {
	r := newRig(t)
	one, two := r.upload("a"), r.upload("b")
	try := func(a installChunkedArg, code intercanister.ErrorCode, text string) {
		t.Helper()
		r.rejected(r.byUser(alice, "install_chunked_code", a), code, text)
	}
	contract := intercanister.CanisterContractViolation
	unknown := make([]byte, 32)
	try(chunked(r, one, unknown), contract, "Error from Wasm chunk store: Chunk hash "+listed(unknown)+" was not found."+chunkHelp)
	try(chunked(r, one[1:]), contract, "Error from Wasm chunk store: Chunk hash is invalid. The length is not 32."+chunkHelp)
	reversed := sha256.Sum256([]byte("ba"))
	whole := sha256.Sum256([]byte("ab"))
	try(chunked(r, two, one), contract, "Error from Wasm chunk store: Wasm module hash "+listed(reversed[:])+" does not match given hash WasmHash("+listed(whole[:])+")."+chunkHelp)
	bad := chunked(r, one)
	bad.Hash = []byte{1, 2, 30}
	try(bad, contract, "Invalid wasm hash [1, 2, 30]")
	try(chunked(r, make([][]byte, 101)...), intercanister.InvalidManagementPayload, "Error decoding candid: Deserialize error: The number of elements exceeds maximum allowed 100")
	r.target.Canister.Balance = cycles.Of(5)
	try(chunked(r, one, two), intercanister.CanisterOutOfCycles, "Canister installation failed with `Canister "+r.target.ID().String()+" is out of cycles: please …")
	if r.installed != nil {
		t.Error("something was installed")
	}
}

func TestTheStoreMayBeAnotherCanisterOfTheCaller(t *testing.T) {
	r := newRig(t)
	one, two := r.upload("a"), r.upload("b")
	store := r.target
	target := r.add(2, alice, store.ID())
	a := chunked(r, one, two)
	a.Target, a.Store = target.ID(), opt(store.ID())
	r.replied(r.byUser(alice, "install_chunked_code", a))
	r.replied(r.byCanister(store, 0, "install_chunked_code", a)) // the store itself, which controls the target
	target.Canister.Settings.Controllers = []principal.Principal{bob}
	r.rejected(r.byUser(bob, "install_chunked_code", a), intercanister.CanisterInvalidController, r.control(bob))
	a.Store = opt(nowhere)
	r.rejected(r.byUser(bob, "install_chunked_code", a), intercanister.CanisterRejectedMessage,
		"InstallChunkedCode Error: Store canister "+nowhere.String()+" was not found on subnet "+subnet.String()+" of target canister "+target.ID().String())
}
