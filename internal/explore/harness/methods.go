package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/candid/generated"
	"github.com/canisterd/canisterd/internal/candid/reference"
	"github.com/canisterd/canisterd/replica"
)

// Methods returns the methods of a canister that are of some kinds, sorted, without those that compilers add.
func Methods(n *replica.Network, id principal.Principal, kinds ...canister.MethodKind) (names []string) {
	k := n.Canister(id)
	if k == nil || k.Module() == nil {
		return nil
	}
	for _, m := range k.Module().Methods() {
		added := generated.Method(m.Name) || strings.HasPrefix(m.Name, "__")
		if slices.Contains(kinds, m.Kind) && !added {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Callable returns the methods of a canister that an ingress message can call.
func Callable(n *replica.Network, id principal.Principal) []string {
	return Methods(n, id, canister.UpdateMethod, canister.QueryMethod)
}

// Instead says what a mistyped name was probably meant to be, or else which names there are.
func Instead(written string, names []string) string {
	if meant := reference.Meant(written, names); meant != "" {
		return meant
	}
	switch n := len(names); {
	case n == 0:
		return ", and no other"
	case n > maxListed:
		return fmt.Sprintf("; it has %s and %d more", strings.Join(names[:maxListed], ", "), n-maxListed)
	}
	return "; it has " + strings.Join(names, ", ")
}
