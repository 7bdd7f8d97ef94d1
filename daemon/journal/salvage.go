package journal

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/sstable"
)

const tableSuffix = ".sst"

// salvage is what can be read of the files of a store, without the store. It also has what the store had removed: blocks
// of records have their own checksums and positions, and checkpoints their files, so what is good for something is known.
type salvage struct {
	entries map[string]salvaged // by key: the newest
}

// salvaged is the value of an entry.
type salvaged struct {
	sequence uint64 // grows with each change of the store
	value    []byte
}

func (s *salvage) add(key, value []byte, sequence uint64) {
	if old, ok := s.entries[string(key)]; !ok || sequence >= old.sequence {
		s.entries[string(key)] = salvaged{sequence, slices.Clone(value)}
	}
}

// salvage reads the files of a store: of the one that a repair has put aside if there is none in its place. The error is
// of the system.
func (j *Journal) salvage() (*salvage, error) {
	s := &salvage{entries: make(map[string]salvaged)}
	folder := storeFolder
	names, err := j.fs.List(j.path(folder))
	if isNotExist(err) {
		if folder, err = j.lastAside(); folder == "" {
			return s, err
		}
		names, err = j.fs.List(j.path(folder))
	}
	for _, name := range names {
		path := j.fs.PathJoin(folder, name)
		_, isLog := numberOf(name)
		switch {
		case isLog:
			err = errors.Join(err, j.salvageLog(s, path))
		case strings.HasSuffix(name, tableSuffix):
			err = errors.Join(err, j.salvageTable(s, path))
		}
	}
	if err != nil {
		return s, &FailedError{Dir: j.dir, Err: err}
	}
	return s, nil
}

// salvageLog reads the batches of a log.
func (j *Journal) salvageLog(s *salvage, name string) error {
	log, err := j.openLog(name)
	if err != nil {
		return err
	}
	log.batches(func(batch []byte) {
		header, ok := batchrepr.ReadHeader(batch)
		entries := batchrepr.Read(batch)
		for sequence := uint64(header.SeqNum); ok; sequence++ {
			kind, key, value, more, err := entries.Next()
			if !more || err != nil {
				return
			}
			if kind == pebble.InternalKeyKindSet {
				s.add(key, value, sequence)
			}
		}
	})
	return nil
}

// salvageTable reads a table up to the first damage.
func (j *Journal) salvageTable(s *salvage, name string) error {
	return j.withTable(name, func(table *sstable.Reader) error {
		it, err := table.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
		if err != nil {
			return err
		}
		for kv := it.First(); kv != nil; kv = it.Next() {
			value, _, err := kv.Value(nil)
			if err != nil {
				return errors.Join(err, it.Close())
			}
			if kind := kv.Kind(); kind == pebble.InternalKeyKindSet || kind == pebble.InternalKeyKindSetWithDelete {
				s.add(kv.K.UserKey, value, uint64(kv.SeqNum()))
			}
		}
		return it.Close()
	}, func(error) {})
}

// withTable passes a table of the store to a function. What is wrong with the table goes to damaged, and an error of the
// system is the result.
func (j *Journal) withTable(name string, read func(*sstable.Reader) error, damaged func(error)) error {
	file, err := j.fs.Open(j.path(name))
	if err != nil {
		if isOfSystem(err) {
			return err
		}
		damaged(err)
		return nil
	}
	err = j.reading(func() error {
		readable, err := sstable.NewSimpleReadable(file)
		if err != nil {
			return err
		}
		options := &pebble.Options{}
		options.EnsureDefaults()
		table, err := sstable.NewReader(context.Background(), readable, options.MakeReaderOptions())
		if err != nil {
			return err // the file is closed
		}
		return errors.Join(read(table), table.Close())
	})
	_ = file.Close() // it was only read
	if err != nil && isOfSystem(err) {
		return err
	}
	if err != nil {
		damaged(err)
	}
	return nil
}

// checkTables verifies the tables of the store.
func (j *Journal) checkTables(h *Health) {
	names, err := j.fs.List(j.path(storeFolder))
	if err != nil {
		return // the store says so
	}
	slices.Sort(names)
	for _, name := range names {
		path := j.fs.PathJoin(storeFolder, name)
		if !strings.HasSuffix(name, tableSuffix) || h.damages(path) {
			continue
		}
		note := func(err error) {
			if !isNotExist(err) { // the store has removed it
				h.Damaged = append(h.Damaged, &DamagedError{j.dir, path, err})
			}
		}
		if err := j.withTable(path, (*sstable.Reader).ValidateBlockChecksums, note); err != nil {
			h.Damaged = append(h.Damaged, &FailedError{Dir: j.dir, Err: err})
		}
	}
}

// block is records in a row.
type block struct {
	first, end uint64
	salvaged
}

// blocks are the blocks that are what was written, in order.
func (s *salvage) blocks() (all []block) {
	for key, e := range s.entries {
		if key[0] != recordsKey || len(key) != 1+8 {
			continue
		}
		b := block{salvaged: e, first: binary.BigEndian.Uint64([]byte(key[1:]))}
		b.end = b.first
		if eachOf(b.first, e.value, func([]byte) error { b.end++; return nil }) == nil {
			all = append(all, b)
		}
	}
	slices.SortFunc(all, func(a, b block) int { return int(a.first) - int(b.first) })
	return all
}

// run are the blocks that have the records from a position on without a gap, up to a limit. A block that was written
// before the one in front of it is one that an earlier repair had cut off.
func run(all []block, from, most uint64) (found []block, end uint64) {
	at := -1
	for i, b := range all {
		if b.first <= from && from < b.end {
			at = i
		}
	}
	if at < 0 {
		return nil, from
	}
	for end = all[at].first; at < len(all) && all[at].first <= end; at++ {
		b := all[at]
		if b.first < end || b.end > most || len(found) > 0 && b.sequence < found[len(found)-1].sequence {
			continue
		}
		found, end = append(found, b), b.end
	}
	return found, max(end, from)
}

// checkpoints are the descriptions of checkpoints.
func (s *salvage) checkpoints() (all []Checkpoint) {
	for key, e := range s.entries {
		var c Checkpoint
		if key[0] == checkpointKey && json.Unmarshal(e.value, &c) == nil {
			all = append(all, c)
		}
	}
	return all
}

// values are the values, and how often one was changed.
func (s *salvage) values() (changes uint64, values map[string][]byte) {
	values = make(map[string][]byte)
	for key, e := range s.entries {
		switch {
		case key[0] == valueKey:
			values[key[1:]] = e.value
		case key[0] == changesKey && len(e.value) == 8:
			changes = binary.BigEndian.Uint64(e.value)
		}
	}
	return changes, values
}

// asideFolder begins the names of stores that repairs have put aside.
const asideFolder = storeFolder + ".damaged"

// aside is the name of the folder for the next store that is put aside.
func (j *Journal) aside() string {
	name := asideFolder
	for n := 2; ; n++ {
		if _, err := j.fs.Stat(j.path(name)); isNotExist(err) {
			return name
		}
		name = fmt.Sprintf("%s-%d", asideFolder, n)
	}
}

// lastAside is the folder of the store that was put aside last, "" for none.
func (j *Journal) lastAside() (last string, err error) {
	names, err := j.fs.List(j.dir)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if strings.HasPrefix(name, asideFolder) && (len(name) > len(last) || len(name) == len(last) && name > last) {
			last = name
		}
	}
	return last, nil
}
