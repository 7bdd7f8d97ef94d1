package project

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/standin"
)

// Clone says of which canister of another network a canister is a clone.
type Clone struct {
	ID   string `yaml:"id" doc:"The id that the canister has at the source, and in the instance." example:"ryjl3-tyaaa-aaaaa-aaaba-cai"`
	From string `yaml:"from" doc:"The source: ic, a URL, an instance, a directory with a snapshot, or a file with a network (default: ic)." example:"ic"`
	// Dependencies also clones the canisters that it calls.
	Dependencies bool   `yaml:"with_dependencies" doc:"Also clone the canisters that it calls, or make stand-ins for them." example:"true"`
	StandIn      string `yaml:"stand_in" doc:"A file of canisterd clone record: the canister is a stand-in that answers with the replies in it." example:"ledger.replies.yaml"`
	// StandIns and Init say what becomes of canisters that it calls and that cannot be cloned.
	StandIns []string          `yaml:"stand_ins" doc:"Canisters that it calls that get a stand-in even if their published module is at hand." example:"[ryjl3-tyaaa-aaaaa-aaaba-cai]"`
	Init     map[string]string `yaml:"init" doc:"Arguments with which published modules of canisters that it calls are installed, as Candid text." example:"{ryjl3-tyaaa-aaaaa-aaaba-cai: '(record { funded = vec {} })'}"`
}

// besideClone are the keys that a clone may have; all others are those of its source.
var besideClone = []string{"clone", "cycles", "after", "candid"}

// checkClone checks the keys of a clone.
func (s *Canister) checkClone() error {
	if s.Clone.ID == "" {
		return errors.New("clone: id is missing: set it to the id that the canister has at the source")
	}
	if _, err := principal.Parse(s.Clone.ID); err != nil {
		return fmt.Errorf("clone: id: %w", err)
	}
	if s.Clone.StandIn != "" && (s.Clone.From != "" || s.Clone.Dependencies) {
		return fmt.Errorf("clone: the stand-in is in %s: remove from and with_dependencies", s.Clone.StandIn)
	}
	if err := s.Clone.checkCalled(); err != nil {
		return err
	}
	var others []string
	spec := reflect.ValueOf(*s)
	for i, field := range reflect.VisibleFields(spec.Type()) {
		key := field.Tag.Get("yaml")
		if key != "" && !slices.Contains(besideClone, key) && !spec.Field(i).IsZero() {
			others = append(others, key)
		}
	}
	if len(others) > 0 {
		return fmt.Errorf("clone: the canister is as at the source: remove %s", strings.Join(others, ", "))
	}
	return nil
}

// checkCalled checks the keys about canisters that the clone calls.
func (c *Clone) checkCalled() error {
	for key, ids := range map[string][]string{"stand_ins": c.StandIns, "init": slices.Sorted(maps.Keys(c.Init))} {
		if len(ids) > 0 && !c.Dependencies {
			return fmt.Errorf("clone: %s is about canisters that it calls: set with_dependencies to true, or remove it", key)
		}
		for _, id := range ids {
			if _, err := principal.Parse(id); err != nil {
				return fmt.Errorf("clone: %s: %w", key, err)
			}
		}
	}
	return nil
}

// StandIn returns what the stand-in for a canister replies, nil if the canister is none.
func (p *Project) StandIn(name string) (*standin.Recording, error) {
	spec := p.Canisters[name].Clone
	if spec == nil || spec.StandIn == "" {
		return nil, nil
	}
	text, err := p.read(spec.StandIn, standin.MaxFileBytes)
	if err != nil {
		return nil, fmt.Errorf("clone: reading the stand-in: %w", err)
	}
	r, err := standin.Read(text)
	if err != nil {
		return nil, fmt.Errorf("clone: %s: %w", p.Path(spec.StandIn), err)
	}
	if r.Canister.String() != spec.ID {
		return nil, fmt.Errorf("clone: %s is a stand-in for %s, and id is %s", p.Path(spec.StandIn), r.Canister, spec.ID)
	}
	return r, nil
}

// create creates a canister at a target, or clones it.
func (p *Project) create(ctx context.Context, name string, to Target) error {
	if p.Canisters[name].Clone == nil {
		return to.Create(ctx, name)
	}
	return to.Clone(ctx, name)
}
