package instance

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/replica"
)

// kept is what a state directory holds of an instance besides its network, in JSON.
type kept struct {
	Program   string     // version that wrote it last
	Complete  bool       // the instance is complete; if false, no client knows it
	Created   time.Time  // by the wall clock
	Seed      string     // in hexadecimal digits
	Pacing    Pacing     //
	NetworkID string     // its lineage
	Ancestors []Ancestor //
	Snapshots []keptSnapshot
	// For instances that the daemon restarts automatically: as in About, and the address at which they are served.
	Outcalls             OutcallMode
	Reach                OutcallReach
	StateDir, ForkedFrom string
	Listen               string
	Made                 made // the settings that never change
}

// made holds the settings with which the instance was made. They never change.
type made struct {
	Subnets           []replica.SubnetConfig `name:"subnets"`
	RateLimits        bool                   `name:"rate limits"`
	SliceInstructions uint64                 `name:"instructions of a slice"`
	RoundInstructions uint64                 `name:"instructions of a round"`
	SystemCanisters   []systemcanisters.Name `name:"system canisters"`
}

const keptName = "instance"

// leastMemTable is the smallest memtable of a store, in bytes: with less it writes many small files.
const leastMemTable = 32 << 10

// openKept opens the state directory of an instance. there reports whether it holds a complete one.
func (r *Registry) openKept(dir string) (k *persister, found bool, err error) {
	options := r.config.Journal
	options.Log, options.Statistics = r.config.Log, &r.journals
	if options.MemTableBytes == 0 && r.config.CheckpointBytes > 0 {
		// A larger memtable would never fill up and be written, because checkpoints delete its records before.
		options.MemTableBytes = uint64(min(max(r.config.CheckpointBytes/2, leastMemTable), journal.MemTableBytes))
	}
	j, err := journal.Open(dir, options)
	if err != nil {
		return nil, false, err
	}
	k = &persister{journal: j, log: r.config.Log, due: make(chan struct{}, 1), changed: make(chan struct{}, 1), limit: cmp.Or(r.config.CheckpointBytes, checkpointBytes)}
	value, err := j.Get(keptName)
	if err == nil && value != nil {
		if err = json.Unmarshal(value, &k.kept); err != nil {
			err = &journal.DamagedError{Dir: dir, File: "the description of its instance", Err: err}
		}
	}
	if err != nil {
		return nil, false, errors.Join(err, j.Close())
	}
	return k, k.kept.Complete, nil
}

// change changes the description of the instance. It is on disk when change returns.
func (k *persister) change(how func(*kept)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	next := k.kept
	how(&next)
	value, err := json.Marshal(&next)
	if err != nil {
		return fmt.Errorf("describing the instance: %w", err)
	}
	if err := k.journal.Put(keptName, value); err != nil {
		return err
	}
	k.kept = next
	return nil
}

// differs returns the name of a requested setting with which the instance was not made, "" if there is none. Zero
// values are not requested.
func (m *made) differs(asked *made) string {
	was, now := reflect.ValueOf(*m), reflect.ValueOf(*asked)
	for i := range now.NumField() {
		if value := now.Field(i); !value.IsZero() && !reflect.DeepEqual(value.Interface(), was.Field(i).Interface()) {
			return now.Type().Field(i).Tag.Get("name")
		}
	}
	return ""
}

// seed returns the seed of the instance.
func (k *kept) seed() (seed [SeedBytes]byte, err error) {
	raw, err := hex.DecodeString(k.Seed)
	if err != nil || len(raw) != SeedBytes {
		return seed, fmt.Errorf("invalid seed %q of the kept instance: expected %d hexadecimal digits", k.Seed, 2*SeedBytes)
	}
	return [SeedBytes]byte(raw), nil
}
