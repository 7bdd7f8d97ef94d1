package certify

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/candid/principal"
)

// SignedState is one version of a subnet's state tree with its signature, which is made once, when first needed. It is
// safe for concurrent use.
type SignedState struct {
	tree     Tree
	key      *SubnetKey
	onSigned func() // called once; or nil
	sign     func() [SignatureLen]byte
	signed   atomic.Bool
	dated    atomic.Pointer[dated] // the last other date that was requested
}

// dated is a height with another date.
type dated struct {
	by     int64
	height *SignedState
}

// NewHeight returns the height of a tree that must have a /time, signed by the key when the first certificate is
// requested. It costs nothing until then.
func NewHeight(tree Tree, key *SubnetKey) *SignedState { return NewHeightOnSigned(tree, key, nil) }

// NewHeightOnSigned is NewHeight; onSigned is called once, when the height has been signed, by the goroutine that
// requested it first. It may be nil.
func NewHeightOnSigned(tree Tree, key *SubnetKey, onSigned func()) *SignedState {
	if onSigned != nil {
		onSigned = sync.OnceFunc(onSigned)
	}
	return signedWhenAsked(tree, key, onSigned)
}

func signedWhenAsked(tree Tree, key *SubnetKey, onSigned func()) *SignedState {
	h := &SignedState{tree: tree, key: key, onSigned: onSigned}
	h.sign = sync.OnceValue(func() [SignatureLen]byte {
		signature := key.Sign(rootMessage(tree.Root()))
		h.signed.Store(true)
		if onSigned != nil {
			onSigned()
		}
		return signature
	})
	return h
}

// Signed reports whether a certificate of the height was made.
func (h *SignedState) Signed() bool { return h.signed.Load() }

// Dated returns the height with a /time that is later by so many nanoseconds, or earlier if by is negative, for clients
// with another clock than the subnet. It is signed separately, and counts as this height's signature for onSigned. A
// tree without a /time stays unchanged.
func (h *SignedState) Dated(by int64) *SignedState {
	if by == 0 {
		return h
	}
	if d := h.dated.Load(); d != nil && d.by == by {
		return d.height
	}
	leaf, _ := h.tree.Get(TimePath()...)
	at, err := DecodeNat(leaf.Value())
	if err != nil {
		return h
	}
	d := &dated{by, signedWhenAsked(h.tree.Set(Leaf(Nat(at+uint64(by))), TimePath()...), h.key, h.onSigned)}
	h.dated.Store(d)
	return d.height
}

// Tree returns the height's tree.
func (h *SignedState) Tree() Tree { return h.tree }

// Root returns the root hash; it does not sign.
func (h *SignedState) Root() [32]byte { return h.tree.Root() }

// Signature returns the signature on the root.
func (h *SignedState) Signature() [SignatureLen]byte { return h.sign() }

// Certificate returns the encoded certificate for the paths and /time, with the
// delegation, which is nil from the root subnet.
func (h *SignedState) Certificate(d *Delegation, paths ...Path) []byte {
	return h.AppendCertificate(make([]byte, 0, 4096), d, paths...)
}

// AppendCertificate appends the result of Certificate.
func (h *SignedState) AppendCertificate(dst []byte, d *Delegation, paths ...Path) []byte {
	signature := h.sign()
	all := append(slices.Clone(paths), TimePath())
	dst = h.tree.AppendWitness(appendCertificateHead(dst, d), all...)
	return appendCertificateTail(dst, signature[:], d)
}

// RangesLayout is the place of the canister ranges in a delegation.
type RangesLayout uint8

const (
	// FlatRanges is /subnet/{id}/canister_ranges, for the endpoints of version
	// 2 and call version 3.
	FlatRanges RangesLayout = iota
	// ShardedRanges is /canister_ranges/{id}, for the later endpoints.
	ShardedRanges
)

// Delegate returns the delegation to a subnet, from the height of the root subnet's tree, which must have its public
// key and its canister ranges. It also shows the subnet's type: verifiers of canister signatures need it.
func (h *SignedState) Delegate(subnet principal.Principal, layout RangesLayout) *Delegation {
	ranges := SubnetPath(subnet, "canister_ranges")
	if layout == ShardedRanges {
		ranges = RangesPath(subnet)
	}
	return &Delegation{subnet, h.Certificate(nil, SubnetPath(subnet, "public_key"), SubnetPath(subnet, "type"), ranges)}
}
