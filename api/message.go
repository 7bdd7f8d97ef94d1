package api

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/certify"
)

// RequestID is the id of a request (interface specification, "Request ids").
type RequestID = [32]byte

// Ingress is a user's update call whose signature was checked.
type Ingress struct {
	ID        RequestID
	Sender    principal.Principal
	Receiver  principal.Principal // a canister, or the management canister
	Effective principal.Principal // id in the URL, of a canister or a subnet
	Subnet    principal.Principal // subnet id of the URL, where BySubnet
	BySubnet  bool
	Method    string
	Arg       []byte // kept: nobody may write it any more
	Expiry    uint64 // ns
	Size      int    // bytes of the signed envelope
}

// Receipt is what became of an ingress message: nothing but zero values where it
// was taken.
type Receipt struct {
	Reject *intercanister.Reject // non-replicated rejection; nothing happened
	Known  bool                  // the message was handed in before
}

// Query is a query call whose signature was checked.
type Query struct {
	Sender    principal.Principal
	Receiver  principal.Principal
	Effective principal.Principal // id in the URL, of a canister or a subnet
	Subnet    principal.Principal // subnet id of the URL, where BySubnet
	BySubnet  bool
	Method    string
	Arg       []byte
	Ranges    certify.RangesLayout // of the delegation in the data certificate
}

// QueryResult is the answer to a query call.
type QueryResult struct {
	Reply  []byte
	Reject *intercanister.Reject // nil for a reply
	Time   uint64                // ns, of the state it was executed on
}
