package journal

import (
	"cmp"
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

// salvage holds the entries that can be read from the files of a store without opening it, including entries that the
// store had removed. Those do no harm: blocks have checksums and positions, and checkpoints have files.
type salvage struct {
	entries map[string]salvaged // the newest by key
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

// salvage reads the files of the store, or of the one that was moved aside last if the store is missing. The error is
// an error of the system.
func (j *Journal) salvage() (*salvage, error) {
	s := &salvage{entries: make(map[string]salvaged)}
	folder := storeFolder
	names, err := j.fs.List(j.path(folder))
	if isNotExist(err) {
		folder, err = j.lastAside()
		if err == nil && folder == "" {
			return s, nil
		}
		if err == nil {
			names, err = j.fs.List(j.path(folder))
		}
	}
	for _, name := range names {
		path := j.fs.PathJoin(folder, name)
		_, isLog := logNumber(name)
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

// salvageLog adds the entries of a log.
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

// salvageTable adds the entries of a table up to the first damage.
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

// withTable passes a table of the store to a function. It passes errors about the table to damaged, and returns errors
// of the system.
func (j *Journal) withTable(name string, read func(*sstable.Reader) error, damaged func(error)) error {
	file, err := j.fs.Open(j.path(name))
	if err != nil {
		if isSystemError(err) {
			return err
		}
		damaged(err)
		return nil
	}
	err = j.guarded(func() error {
		readable, err := sstable.NewSimpleReadable(file)
		if err != nil {
			return err
		}
		options := &pebble.Options{}
		options.EnsureDefaults()
		table, err := sstable.NewReader(context.Background(), readable, options.MakeReaderOptions())
		if err != nil {
			return err // NewReader has closed the file
		}
		return errors.Join(read(table), table.Close())
	})
	_ = file.Close() // opened for reading
	if err != nil && isSystemError(err) {
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
		return // the store reports it
	}
	slices.Sort(names)
	for _, name := range names {
		path := j.fs.PathJoin(storeFolder, name)
		if !strings.HasSuffix(name, tableSuffix) || h.isDamaged(path) {
			continue
		}
		report := func(err error) {
			if !isNotExist(err) { // the store may have removed it
				h.Damaged = append(h.Damaged, &DamagedError{j.dir, path, err})
			}
		}
		if err := j.withTable(path, (*sstable.Reader).ValidateBlockChecksums, report); err != nil {
			h.Damaged = append(h.Damaged, &FailedError{Dir: j.dir, Err: err})
		}
	}
}

// block is a block of records, from position first to before end.
type block struct {
	first, end uint64
	salvaged
}

// blocks returns the intact blocks in the order of their positions.
func (s *salvage) blocks() (all []block) {
	for key, e := range s.entries {
		if key[0] != recordsKey || len(key) != 1+8 {
			continue
		}
		b := block{salvaged: e, first: binary.BigEndian.Uint64([]byte(key[1:]))}
		b.end = b.first
		if scanBlock(b.first, e.value, func([]byte) error { b.end++; return nil }) == nil {
			all = append(all, b)
		}
	}
	slices.SortFunc(all, func(a, b block) int { return cmp.Compare(a.first, b.first) })
	return all
}

// contiguous returns the blocks with the records from a position on, up to the first gap or a limit. It skips a block
// that is older than the block before it: an earlier repair had cut it off.
func contiguous(all []block, from, limit uint64) (found []block, end uint64) {
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
		if b.first < end || b.end > limit || len(found) > 0 && b.sequence < found[len(found)-1].sequence {
			continue
		}
		found, end = append(found, b), b.end
	}
	return found, max(end, from)
}

// checkpoints returns the descriptions of checkpoints.
func (s *salvage) checkpoints() (all []Checkpoint) {
	for key, e := range s.entries {
		var c Checkpoint
		if key[0] == checkpointKey && json.Unmarshal(e.value, &c) == nil {
			all = append(all, c)
		}
	}
	return all
}

// values returns the values and the number of their changes.
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

// asidePrefix begins the names of stores that repairs moved aside.
const asidePrefix = storeFolder + ".damaged"

// asideName returns an unused name for a store that is moved aside.
func (j *Journal) asideName() string {
	name := asidePrefix
	for n := 2; ; n++ {
		if _, err := j.fs.Stat(j.path(name)); isNotExist(err) {
			return name
		}
		name = fmt.Sprintf("%s-%d", asidePrefix, n)
	}
}

// lastAside returns the folder of the store that was moved aside last, "" for none.
func (j *Journal) lastAside() (last string, err error) {
	names, err := j.fs.List(j.dir)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if strings.HasPrefix(name, asidePrefix) && (len(name) > len(last) || len(name) == len(last) && name > last) {
			last = name
		}
	}
	return last, nil
}
