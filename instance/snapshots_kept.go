package instance

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/replica"
)

// keptSnapshot is the entry of a snapshot in a state directory.
type keptSnapshot struct {
	Snapshot
	Ancestors []Ancestor // of a network that continues it
	File      string
}

// keepFile writes a snapshot to the state directory, if there is one, and returns the name of its file.
func (i *Instance) keepFile(network *replica.Network) (file string, err error) {
	if i.persister == nil {
		return "", nil
	}
	file = rand.Text()
	return file, i.persister.journal.PutFile(file, func(w io.Writer) error {
		return contain.Run(func() error { return network.Export(w) })
	})
}

// enterSnapshot enters a snapshot with a written file as kept. The previous one with its name is removed.
func (i *Instance) enterSnapshot(s *snapshot, file string) error {
	if i.persister == nil {
		return nil
	}
	return i.changeSnapshots(s.about.Name, &keptSnapshot{Snapshot: s.about, Ancestors: s.lineage, File: file})
}

// changeSnapshots replaces the kept snapshot with a name; nil removes it.
func (i *Instance) changeSnapshots(name string, by *keptSnapshot) error {
	var old []string
	err := i.persister.change(func(k *kept) {
		all := make([]keptSnapshot, 0, len(k.Snapshots)+1)
		for _, s := range k.Snapshots {
			if s.Name == name {
				old = append(old, s.File)
			} else {
				all = append(all, s)
			}
		}
		if by != nil {
			all = append(all, *by)
		}
		k.Snapshots = slices.Clip(all)
	})
	if err != nil {
		return err
	}
	for _, file := range old {
		err = errors.Join(err, i.persister.journal.RemoveFile(file))
	}
	return err
}

// load reads the network of a snapshot from its file.
func (i *Instance) load(file string) (network *replica.Network, err error) {
	from, err := i.persister.journal.OpenFile(file)
	if err != nil {
		return nil, err
	}
	network, err = importNetwork(struct{ io.Reader }{from}, replica.Config{Engine: i.engine.Engine, Keys: i.keys, Compiler: recordedModules{}})
	if fault, ok := errors.AsType[*archive.Fault](err); ok {
		err = i.persister.journal.DamagedFile(file, fault)
	} else if err != nil {
		err = fmt.Errorf("reading a snapshot from the state directory: %w", err)
	}
	if err = errors.Join(err, from.Close()); err != nil && network != nil {
		network.Close()
		network = nil
	}
	return network, err
}
