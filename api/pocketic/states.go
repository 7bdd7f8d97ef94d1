package pocketic

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/canisterd/canisterd/internal/regular"
	"github.com/canisterd/canisterd/replica"
)

// Files of a state_dir: canisterd's export of the instance, and the topology for programs that look for PocketIC's.
const (
	stateFile    = "instance.canisterd"
	topologyFile = "topology.json"
)

// hasState reports whether a folder holds the state of an earlier instance.
func hasState(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, topologyFile))
	return folder != "" && err == nil
}

// restored makes an instance from the state in a folder, nil if there is none.
func (s *Server) restored(ctx context.Context, folder string) (Instance, error) {
	if folder == "" {
		return nil, nil
	}
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return nil, failed("The path %s is not a directory: state_dir must be a folder, which may not exist yet", folder)
	}
	file, err := regular.Open(filepath.Join(folder, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		if hasState(folder) {
			return nil, failed("The folder %s has no %s: canisterd cannot read the checkpoints of PocketIC's own server; take another state_dir", folder, stateFile)
		}
		return nil, nil
	}
	if err != nil {
		return nil, failed("Failed to read the state: %v", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	instance, err := s.host.Import(ctx, bufio.NewReader(file))
	if err != nil {
		return nil, failed("The state %s cannot be read: %v", file.Name(), err)
	}
	// PocketIC's subnets take a nanosecond to be made again.
	if _, err := instance.Driver().Round(ctx); err != nil {
		return nil, errorsOf(err, instance.Close())
	}
	return instance, nil
}

// keep writes the state of an instance to its folder, after one more round.
func (e *entry) keep() error {
	if e.folder == "" {
		return nil
	}
	ctx := context.Background()
	d := e.instance.Driver()
	if _, err := d.Round(ctx); err != nil {
		return err
	}
	network, err := d.Snapshot(ctx, replica.ForkConfig{})
	if err != nil {
		return err
	}
	defer network.Close()
	if err := os.MkdirAll(e.folder, 0o750); err != nil {
		return err
	}
	shown, err := json.Marshal(keptTopologyOf(e.instance.Driver().View()))
	if err != nil {
		return err
	}
	return errors.Join(
		replace(filepath.Join(e.folder, stateFile), func(file *bufio.Writer) error { return network.Export(file) }),
		replace(filepath.Join(e.folder, topologyFile), func(file *bufio.Writer) error {
			_, err := file.Write(shown)
			return err
		}),
	)
}

// keptTopology is the content of topology.json, with the fields of PocketIC that other programs read.
type keptTopology struct {
	Subnets []keptSubnet `json:"subnet_configs"`
	Default rawCanister  `json:"default_effective_canister_id"`
}

// keptSubnet is one subnet of a keptTopology.
type keptSubnet struct {
	ID           string      `json:"subnet_id"`
	Kind         string      `json:"subnet_kind"`
	Instructions string      `json:"instruction_config"`
	Ranges       []keptRange `json:"ranges"`
	Allocation   *keptRange  `json:"alloc_range"` // of new canisters; nil: none
}

// keptRange is a range of canister ids.
type keptRange struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

// keptTopologyOf describes the subnets of a view, in the order in which they were made.
func keptTopologyOf(view *replica.View) keptTopology {
	t := keptTopology{Default: canisterOf(view.DefaultCanister())}
	for i := range view.Subnets {
		subnet := &view.Subnets[i]
		kept := keptSubnet{ID: subnet.ID.String(), Kind: kindNames[subnet.Kind], Instructions: instructionsOf(subnet), Ranges: []keptRange{}}
		for _, r := range subnet.Ranges {
			kept.Ranges = append(kept.Ranges, keptRange{r.Start.String(), r.End.String()})
		}
		if last := len(kept.Ranges) - 1; last >= 0 {
			kept.Allocation, kept.Ranges = &kept.Ranges[last], kept.Ranges[:last]
		}
		t.Subnets = append(t.Subnets, kept)
	}
	return t
}

// replace writes a file completely or leaves it unchanged.
func replace(path string, write func(*bufio.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	removeLeftovers(file)
	buffered := bufio.NewWriter(file)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), path)
}

// removeLeftovers removes the files that killed servers have left beside a new one: those whose name differs in the
// random number, and that were written long before it. Another server may be writing the others.
func removeLeftovers(file *os.File) {
	now, err := file.Stat()
	if err != nil {
		return // the next save tries again
	}
	folder, name := filepath.Split(file.Name())
	others, err := os.ReadDir(folder)
	if err != nil {
		return // likewise
	}
	for _, other := range others {
		if !strings.HasPrefix(other.Name(), name[:strings.LastIndexByte(name, '-')+1]) {
			continue
		}
		if info, err := other.Info(); err == nil && info.Mode().IsRegular() && now.ModTime().Sub(info.ModTime()) > leftoverAge {
			_ = os.Remove(filepath.Join(folder, other.Name())) // likewise
		}
	}
}
