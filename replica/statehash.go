package replica

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/canisterd/canisterd/archive"
)

// StateHash returns the SHA-256 of the whole replicated state: memories, queues with their payloads, call contexts,
// futures, deadlines, cycles, rules, and the configuration. Two networks with the same hash do the same with the same
// inputs. It hashes what Export writes, before compression, so it covers every field that a file has. It takes time in
// proportion to all bytes of the state and fails as Export does.
func (n *Network) StateHash() ([32]byte, error) {
	hash, err := n.export(archive.NewHasher(archive.Version), nil)
	if err != nil {
		return [32]byte{}, fmt.Errorf("hash the state: %w", err)
	}
	return hash, nil
}

// RootHash returns a hash over the certified trees of all subnets and some counters, balances and versions that they
// lack: less than StateHash, in time proportional to the number of canisters.
func (n *Network) RootHash() [32]byte {
	h := sha256.New()
	for _, m := range n.subnets {
		root := m.staged().height().Root()
		h.Write(root[:])
		numbers := []uint64{m.Time, m.Height, uint64(m.Calls.Contexts()), uint64(m.Calls.Futures()), m.RandomBeacon.Drawn, uint64(m.Deadlines.Len()), m.OutcallsMade}
		for r := range m.Canisters.All() {
			c := r.Canister
			h.Write(c.ID.Bytes())
			numbers = append(numbers, c.Balance.Hi, c.Balance.Lo, c.Reserved.Hi, c.Reserved.Lo, c.Version, c.Timer,
				uint64(c.Status), uint64(r.Mailbox.Len()), uint64(r.Mailbox.Contexts), c.Logs.Next(), c.History.Total)
		}
		for _, number := range numbers {
			var raw [8]byte
			binary.BigEndian.PutUint64(raw[:], number)
			h.Write(raw[:])
		}
	}
	return [32]byte(h.Sum(nil))
}
