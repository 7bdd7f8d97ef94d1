package canister

import (
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/canister/internal/wasi"
	"github.com/canisterd/canisterd/intercanister"
)

// Features are what a canister may use beyond the Internet Computer: a set. The network has none of them, so a canister
// has only those that its owner chose.
type Features uint8

// FeatureWASI lets a canister have modules that import WASI preview 1 (see package canister/internal/wasi).
const FeatureWASI Features = 1 << 0

// AllFeatures are the features there are.
const AllFeatures = FeatureWASI

// featureNames are the names of the features, by bit.
var featureNames = [...]string{"wasi"}

// FeaturesOf are the features with some names. The error lists the names there are.
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

// Names are the names of the features, in the order of Features.
func (f Features) Names() []string {
	var names []string
	for i, name := range featureNames {
		if f>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Refusal is why a canister with these features cannot have the module (IC0505), nil if it can. Without the feature
// that a module needs it is the network's refusal. Like the reject of Prepare, it lacks the canister.
func (m *Module) Refusal(f Features) *intercanister.Reject {
	switch {
	case m.m.Refusal == "":
		return nil
	case f&FeatureWASI == 0:
		return invalidWasm(m.m.Refusal)
	case m.m.Fault != "":
		return invalidWasm(m.m.Fault)
	}
	return nil
}

// Needs are the features that a canister must have for the module.
func (m *Module) Needs() Features {
	if m.m.Refusal != "" {
		return FeatureWASI
	}
	return 0
}

// WASIFunction is a function of WASI preview 1 as WebAssembly writes its type: Params are i32 or i64. Returns is false
// where it gives no error number, an i32.
type WASIFunction = wasi.Declaration

// WASI are all functions that modules with FeatureWASI may import, family by family.
func WASI() []WASIFunction { return wasi.Declarations() }
