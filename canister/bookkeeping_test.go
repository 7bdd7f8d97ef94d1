package canister_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestTheHistoryKeepsTheNewestTwentyAndCountsAll(t *testing.T) {
	var h canister.History
	for i := range uint64(25) {
		h.Add(canister.Change{Version: i, Details: canister.Uninstallation{}})
	}
	if h.Total != 25 || len(h.Changes()) != 20 || h.Changes()[0].Version != 5 {
		t.Errorf("%d in all, %d kept, the first is %+v", h.Total, len(h.Changes()), h.Changes()[0])
	}
	if last := h.Recent(3); len(last) != 3 || last[0].Version != 22 || last[2].Version != 24 {
		t.Errorf("the newest three are %+v", last)
	}
	if len(h.Recent(100)) != 20 {
		t.Errorf("asked for 100, it gives %d", len(h.Recent(100)))
	}
	h.Drop()
	if h.Total != 25 || h.Bytes() != 0 {
		t.Errorf("after dropping: %d in all, %d bytes", h.Total, h.Bytes())
	}
}

func TestTheChunkStoreKeepsEachChunkOnceAndNoMoreThanAHundred(t *testing.T) {
	var s canister.ChunkStore
	e := canistertest.NewPlace(t).Engine
	var want [][32]byte
	for i := range 100 {
		chunk := fmt.Appendf(nil, "chunk %d", i)
		if err := s.Put(e, chunk); err != nil {
			t.Fatalf("chunk %d: %v", i, err)
		}
		want = append(want, sha256.Sum256(chunk))
	}
	if err := s.Put(e, []byte("chunk 0")); err != nil || s.Len() != 100 || s.Bytes() != 100<<20 {
		t.Errorf("a chunk that is there: %v, %d chunks", err, s.Len())
	}
	if err := s.Put(e, []byte("one more")); err == nil {
		t.Error("a full store takes one more")
	}
	slices.SortFunc(want, func(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) })
	if !slices.Equal(s.Hashes(), want) {
		t.Error("the hashes are not in order")
	}
	if chunk, err := s.Get(sha256.Sum256([]byte("chunk 7"))); err != nil || string(chunk) != "chunk 7" {
		t.Errorf("chunk 7 is %q, %v", chunk, err)
	}
	if s.Clear(); s.Len() != 0 {
		t.Errorf("after clearing there are %d", s.Len())
	}
	if err := s.Put(e, nil); err != nil || s.Len() != 1 {
		t.Errorf("an empty chunk is not kept: %v", err)
	}
	if chunk, err := s.Get(sha256.Sum256(nil)); err != nil || chunk == nil || len(chunk) != 0 {
		t.Errorf("the empty chunk is %q, %v", chunk, err)
	}
	s.Clear()
}

func TestVisibilityNamesItsReaders(t *testing.T) {
	controllers := []canister.Visibility{{}, {Kind: canister.Public}, {Kind: canister.AllowedViewers}}
	controllers[2].Viewers = append(controllers[2].Viewers, canistertest.User)
	s := canister.DefaultSettings(canistertest.Controller)
	stranger := canister.New(s.Controllers[0], 0, s).Settings.Controllers[0]
	for i, want := range []bool{false, true, true} {
		if got := controllers[i].Allows(canistertest.User, s.Controllers); got != want {
			t.Errorf("visibility %d allows the user: %v", i, got)
		}
		if !controllers[i].Allows(stranger, s.Controllers) {
			t.Errorf("visibility %d does not allow the controller", i)
		}
	}
}

func TestTheLogForgetsItsOldestRecords(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	for i := range 100 {
		reply(t, p.Run(c, canistertest.Script().Print(fmt.Sprintf("record %02d", i)).Print("again").Reply(nil)))
	}
	if c.Logs.Bytes() > canister.DefaultLogMemoryLimit || c.Logs.Next() != 200 {
		t.Errorf("the log has %d bytes and goes on at %d", c.Logs.Bytes(), c.Logs.Next())
	}
	first, last := c.Logs.At(0), c.Logs.At(c.Logs.Len()-1)
	if string(last.Content) != "again" || last.Index != 199 || last.Time != p.Subnet.Time || first.Index != 200-uint64(c.Logs.Len()) {
		t.Errorf("it goes from %+v to %+v", first, last)
	}
	reply(t, p.Run(c, canistertest.Script().Print(string(make([]byte, 10_000))).Reply(nil)))
	if c.Logs.Len() != 1 || len(c.Logs.At(0).Content) != canister.DefaultLogMemoryLimit-canister.LogRecordOverhead {
		t.Errorf("a record over the limit is %d bytes, of %d records", len(c.Logs.At(0).Content), c.Logs.Len())
	}
	c.Settings.LogMemoryLimit = 0
	reply(t, p.Run(c, canistertest.Script().Print("unheard").Reply(nil)))
	if c.Logs.Len() != 0 {
		t.Errorf("a log without room has %d records", c.Logs.Len())
	}
}

func TestEnvironmentVariablesAreReadByNameAndInOrder(t *testing.T) {
	p := canistertest.NewPlace(t)
	m := p.Wat(`(module
		(import "ic0" "env_var_count" (func $count (result i32))) (import "ic0" "env_var_name_size" (func $size (param i32) (result i32)))
		(import "ic0" "env_var_name_copy" (func $copy (param i32 i32 i32 i32))) (import "ic0" "env_var_name_exists" (func $exists (param i32 i32) (result i32)))
		(import "ic0" "env_var_value_size" (func $vsize (param i32 i32) (result i32))) (import "ic0" "env_var_value_copy" (func $vcopy (param i32 i32 i32 i32 i32)))
		(import "ic0" "msg_reply_data_append" (func $append (param i32 i32))) (import "ic0" "msg_reply" (func $reply))
		(memory 1) (data (i32.const 100) "NAMEnone\ff")
		(func (export "canister_query q")
		  (i32.store8 (i32.const 0) (call $count)) (i32.store8 (i32.const 1) (call $size (i32.const 1)))
		  (call $copy (i32.const 0) (i32.const 2) (i32.const 0) (i32.const 1))
		  (i32.store8 (i32.const 3) (call $exists (i32.const 100) (i32.const 4))) (i32.store8 (i32.const 4) (call $exists (i32.const 104) (i32.const 4)))
		  (i32.store8 (i32.const 5) (call $vsize (i32.const 100) (i32.const 4))) (call $vcopy (i32.const 100) (i32.const 4) (i32.const 6) (i32.const 1) (i32.const 2))
		  (call $append (i32.const 0) (i32.const 8)) (call $reply))
		(func (export "canister_query index") (drop (call $size (i32.const 2))))
		(func (export "canister_query name") (drop (call $vsize (i32.const 104) (i32.const 4))))
		(func (export "canister_query longest") (drop (call $exists (i32.const 200) (i32.const 128))) (call $reply))
		(func (export "canister_query long") (drop (call $exists (i32.const 200) (i32.const 129))))
		(func (export "canister_query text") (drop (call $exists (i32.const 108) (i32.const 1)))))`)
	c := p.Canister(m, nil)
	c.Settings.SetEnvironment([]canister.Variable{{Name: "NAME", Value: "abc"}, {Name: "A", Value: "1"}})
	if got := string(reply(t, p.Query(c, "q", nil))); got != "\x02\x04A\x01\x00\x03bc" {
		t.Errorf("the canister saw %q", got)
	}
	reply(t, p.Query(c, "longest", nil))
	for method, text := range map[string]string{
		"index": "Environment variable index 2 is out of bounds. The number of environment variables is 2.",
		"name":  "Environment variable none not found.",
		"long":  "Canister violated contract: ic0.env_var_name_exists: Variable name is too large.",
		"text":  "Canister violated contract: ic0.env_var_name_exists: Variable name is not a valid UTF-8 string.",
	} {
		failed(t, c, p.Query(c, method, nil), 504, text)
	}
}
