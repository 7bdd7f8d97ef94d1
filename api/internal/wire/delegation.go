package wire

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/refusal"
)

// SignedDelegation delegates a key's authority to another key (interface specification, "Authentication",
// sender_delegation).
type SignedDelegation struct {
	// PublicKey is the key delegated to, in DER form.
	PublicKey []byte
	// Expiration is in nanoseconds since 1970, the last moment at which the delegation is valid.
	Expiration uint64
	// Targets are the canisters the delegation is valid for, sorted; nil means all, an empty list none.
	Targets []principal.Principal
	// Permissions is "queries" or "all", and "" where absent, which means all.
	Permissions string
	// Signature is by the previous key in the chain, over Hash.
	Signature []byte
	// Hash is the hash of the delegation's map as it was sent.
	Hash [sha256.Size]byte
}

// What a delegation permits (interface specification 0.64).
const (
	PermitQueries = "queries"
	PermitAll     = "all"
)

func invalidDelegation(format string, args ...any) *refusal.Refusal {
	return refuse("Invalid delegation: "+format, args...)
}

func readDelegations(chain *item) ([]SignedDelegation, error) {
	if chain == nil {
		return nil, nil
	}
	if chain.num > MaxDelegations {
		return nil, invalidDelegation("Chain of delegations is too long: got %d delegations, but at most %d are allowed.", chain.num, MaxDelegations)
	}
	var delegations []SignedDelegation
	err := chain.elements(func(element item) error {
		d, err := readDelegation(element)
		delegations = append(delegations, d)
		return err
	})
	return delegations, err
}

func readDelegation(it item) (d SignedDelegation, err error) {
	signed, err := fieldsOf(it, "a signed delegation")
	if err != nil {
		return d, err
	}
	if d.Signature, err = signed.blob("signature"); err != nil {
		return d, fmt.Errorf("sender_delegation: %w", err)
	}
	inner, err := signed.required("delegation", kindMap)
	if err != nil {
		return d, fmt.Errorf("sender_delegation: %w", err)
	}
	fs, err := fieldsOf(*inner, "a delegation")
	if err != nil {
		return d, err
	}
	if d.Hash, err = hashOfMap(fs); err != nil {
		return d, fmt.Errorf("delegation: %w", err)
	}
	if d.PublicKey, err = fs.blob("pubkey"); err != nil {
		return d, fmt.Errorf("delegation: %w", err)
	}
	if d.Expiration, err = fs.nat("expiration"); err != nil {
		return d, fmt.Errorf("delegation: %w", err)
	}
	permissions, err := fs.optional("permissions", kindText)
	if err != nil {
		return d, fmt.Errorf("delegation: %w", err)
	}
	if permissions != nil {
		if d.Permissions = string(permissions.body); d.Permissions == "" {
			return d, invalidDelegation("%v", unknownPermissions(""))
		}
	}
	d.Targets, err = readTargets(fs)
	return d, err
}

func readTargets(fs fields) ([]principal.Principal, error) {
	it, err := fs.optional("targets", kindArray)
	if err != nil || it == nil {
		return nil, err
	}
	if it.num > MaxTargetsPerDelegation {
		return nil, invalidDelegation("Delegation target error: expected at most %d targets per delegation, but got %d", MaxTargetsPerDelegation, it.num)
	}
	targets := make([]principal.Principal, 0, it.num)
	err = it.elements(func(element item) error {
		if element.kind != kindBlob {
			return fmt.Errorf("a target of a delegation is %s, not a blob", element.kind)
		}
		p, err := principal.FromBytes(element.body)
		if err != nil {
			return invalidDelegation("Delegation target error: Error parsing canister ID: %v", err)
		}
		targets = append(targets, p)
		return nil
	})
	slices.SortFunc(targets, principal.Principal.Compare)
	return slices.Compact(targets), err
}

// chainTerms is the authority that a whole chain of delegations leaves.
type chainTerms struct {
	key         []byte // the key that signs the request, in DER form
	targets     []principal.Principal
	queriesOnly bool
}

// checkChain follows the chain from the sender's key to the key that signs the request, in the replica's order:
// expirations, cycles, then link by link.
func (t *Trust) checkChain(auth *Auth, now uint64) (chainTerms, error) {
	terms := chainTerms{key: auth.PublicKey}
	for _, d := range auth.Delegations {
		if d.Expiration < now {
			return terms, refuse("Invalid delegation expiry: Specified sender delegation has expired:\nProvided expiry:    %s\nLocal replica time: %s",
				timeText(d.Expiration), timeText(now))
		}
	}
	if err := checkCycles(auth); err != nil {
		return terms, err
	}
	for i := range auth.Delegations {
		d := &auth.Delegations[i]
		if err := t.verify(terms.key, signedBytes(domainDelegation, d.Hash), d.Signature); err != nil {
			return terms, invalidDelegation("%v", err)
		}
		switch d.Permissions {
		case "", PermitAll:
		case PermitQueries:
			terms.queriesOnly = true
		default:
			return terms, invalidDelegation("%v", unknownPermissions(d.Permissions))
		}
		terms.targets = intersect(terms.targets, d.Targets)
		terms.key = d.PublicKey
	}
	return terms, nil
}

func unknownPermissions(got string) error {
	return phrased("Delegation permissions error: got %q, but only %q and %q are known", got, PermitQueries, PermitAll)
}

func checkCycles(auth *Auth) error {
	seen := make(map[string]bool, len(auth.Delegations)+1)
	seen[string(auth.PublicKey)] = true
	for _, d := range auth.Delegations {
		if seen[string(d.PublicKey)] {
			return invalidDelegation("Chain of delegations contains at least one cycle: first repeating public key encountered %s", hexText(d.PublicKey))
		}
		seen[string(d.PublicKey)] = true
	}
	return nil
}

// intersect returns what is in both sorted lists. nil means everything.
func intersect(a, b []principal.Principal) []principal.Principal {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	both := make([]principal.Principal, 0, min(len(a), len(b)))
	for _, p := range a {
		if _, ok := slices.BinarySearchFunc(b, p, principal.Principal.Compare); ok {
			both = append(both, p)
		}
	}
	return both
}
