package canister

import (
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/canister/internal/wasi"
	"github.com/canisterd/canisterd/intercanister"
)

// Features is a set of what a canister may use beyond the Internet Computer. Mainnet has none of these features, so a
// canister has only those that its owner chose.
type Features uint8

// FeatureWASI lets a canister have modules that import WASI preview 1 (see package canister/internal/wasi).
const FeatureWASI Features = 1 << 0

// FeatureComponents lets a canister have components in place of modules (see package canister/internal/components).
const FeatureComponents Features = 1 << 1

// AllFeatures are all known features.
const AllFeatures = FeatureWASI | FeatureComponents

// featureNames are the names of the features, by bit.
var featureNames = [...]string{"wasi", "components"}

// FeaturesOf returns the features with the given names. The error lists the known names.
func FeaturesOf(names []string) (all Features, err error) {
	for _, name := range names {
		i := slices.Index(featureNames[:], name)
		if i < 0 {
			return 0, fmt.Errorf("unknown feature %.50q: the features are %s", name, strings.Join(featureNames[:], ", "))
		}
		all |= 1 << i
	}
	return all, nil
}

// Names returns the names of the features, in the order of Features.
func (f Features) Names() []string {
	var names []string
	for i, name := range featureNames {
		if f>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Refusal returns why a canister with these features cannot have the module (IC0505), or nil. Without the feature that
// a module needs, it is mainnet's refusal. Like the reject of Prepare, it does not name the canister.
func (m *Module) Refusal(f Features) *intercanister.Reject {
	switch {
	case m.m.Refusal == "":
		return nil
	case f&m.Needs() == 0:
		return invalidWasm(m.m.Refusal)
	case m.m.Fault != "":
		return invalidWasm(m.m.Fault)
	}
	return nil
}

// Needs returns the features that a canister must have for the module.
func (m *Module) Needs() Features {
	switch {
	case m.m.Refusal == "":
		return 0
	case m.m.Component:
		return FeatureComponents
	}
	return FeatureWASI
}

// WASIFunction is a function of WASI preview 1 with its WebAssembly type: Params are i32 or i64. Returns is false if it
// does not return an error number, an i32.
type WASIFunction = wasi.Declaration

// WASI returns all functions that modules with FeatureWASI may import, family by family.
func WASI() []WASIFunction { return wasi.Declarations() }
