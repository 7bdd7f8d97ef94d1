package instance_test

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/replica"
)

// queried asks a query method of a system canister as the anonymous user, and reads the reply.
func queried[T any](t *testing.T, i *instance.Instance, name systemcanisters.Name, method string, arg ...any) (reply T) {
	t.Helper()
	encoded, err := candid.Marshal(arg...)
	if err != nil {
		t.Fatal(err)
	}
	view := i.Driver().View()
	result, err := i.Backend().Query(t.Context(), &replica.Query{
		Sender: principal.Anonymous, Receiver: name.ID(), Effective: name.ID(), Subnet: view.SubnetOf(name.ID()).ID, Method: method, Arg: encoded,
	})
	if err != nil || result.Reject != nil {
		t.Fatalf("%s: %v, %v", method, result.Reject, err)
	}
	if err := candid.Unmarshal(result.Reply, &reply); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return reply
}

// certifiedData is what a certificate shows of the data of a system canister. The certificate is verified from the root
// key down.
func certifiedData(t *testing.T, i *instance.Instance, name systemcanisters.Name, encoded []byte) []byte {
	t.Helper()
	root, err := certify.ParseSubnetPublicKey(i.Driver().View().RootKey)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := certify.DecodeCertificate(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if err := certificate.VerifyForCanister(root, name.ID()); err != nil {
		t.Fatal(err)
	}
	data, status := certificate.Tree.Lookup(certify.CanisterPath(name.ID(), "certified_data")...)
	if status != certify.Found {
		t.Fatalf("the certificate does not show the data of %s: %v", name, status)
	}
	return data
}

func TestTheLastBlockOfTheICPLedgerIsCertified(t *testing.T) {
	i := system(t)
	type transfer struct {
		Memo   uint64 `ic:"memo"`
		Amount tokens `ic:"amount"`
		Fee    tokens `ic:"fee"`
		To     []byte `ic:"to"`
	}
	to := accountOf(t, i, principal.Management, principal.Management)
	type blocks struct {
		Length      uint64   `ic:"chain_length"`
		Certificate *[]byte  `ic:"certificate"`
		Blocks      [][]byte `ic:"blocks"`
	}
	type tip struct {
		Certification *[]byte `ic:"certification"`
		Index         uint64  `ic:"tip_index"`
	}
	for range 2 {
		sent := asked[accepted](t, i, systemcanisters.ICPToken, "transfer", transfer{1, tokens{100_000_000}, tokens{10_000}, to})
		if sent.Ok == nil {
			t.Fatal("the ledger refused the transfer")
		}
		got := queried[blocks](t, i, systemcanisters.ICPToken, "query_encoded_blocks", struct {
			Start  uint64 `ic:"start"`
			Length uint64 `ic:"length"`
		}{*sent.Ok, 10})
		if got.Certificate == nil || len(got.Blocks) != 1 || got.Length != *sent.Ok+1 {
			t.Fatalf("from block %d on: %+v", *sent.Ok, got)
		}
		hash := sha256.Sum256(got.Blocks[0])
		if data := certifiedData(t, i, systemcanisters.ICPToken, *got.Certificate); !bytes.Equal(data, hash[:]) {
			t.Errorf("the hash %x is certified, and block %d has %x", data, *sent.Ok, hash)
		}
		last := queried[tip](t, i, systemcanisters.ICPToken, "tip_of_chain")
		if last.Certification == nil || last.Index != *sent.Ok {
			t.Fatalf("the tip is %+v, want block %d", last, *sent.Ok)
		}
		if data := certifiedData(t, i, systemcanisters.ICPToken, *last.Certification); !bytes.Equal(data, hash[:]) {
			t.Errorf("the hash %x of the tip is certified, want %x", data, hash)
		}
	}
}

// field is an entry of a value of ICRC-3 that is a map.
type field struct {
	Name  string     `ic:"0"`
	Value icrc3Value `ic:"1"`
}

type icrc3Value struct {
	Blob  *[]byte       `ic:"Blob,variant"`
	Text  *string       `ic:"Text,variant"`
	Nat   *candid.Nat   `ic:"Nat,variant"`
	Int   *candid.Int   `ic:"Int,variant"`
	Array *[]icrc3Value `ic:"Array,variant"`
	Map   *[]field      `ic:"Map,variant"`
}

func TestTheTipOfTheCyclesLedgerIsCertified(t *testing.T) {
	i := system(t)
	type transfer struct {
		To     ownerAccount `ic:"to"`
		Amount candid.Nat   `ic:"amount"`
	}
	type sent struct {
		Ok  *candid.Nat      `ic:"Ok,variant"`
		Err *candid.Reserved `ic:"Err,variant"`
	}
	type tip struct {
		Certificate []byte `ic:"certificate"`
		Tree        []byte `ic:"hash_tree"`
	}
	type part struct {
		Start  candid.Nat `ic:"start"`
		Length candid.Nat `ic:"length"`
	}
	type blocks struct {
		Blocks []struct {
			ID    candid.Nat `ic:"id"`
			Block icrc3Value `ic:"block"`
		} `ic:"blocks"`
	}
	var before []byte // the certified hash of the block before
	for range 2 {
		done := asked[sent](t, i, systemcanisters.CyclesToken, "icrc1_transfer", transfer{ownerAccount{principal.Management}, candid.NatOf(5_000_000_000)})
		if done.Ok == nil {
			t.Fatal("the ledger refused the transfer")
		}
		index, _ := done.Ok.Uint64()
		last := queried[*tip](t, i, systemcanisters.CyclesToken, "icrc3_get_tip_certificate")
		if last == nil {
			t.Fatal("the ledger has no certificate")
		}
		tree, err := certify.DecodeHashTree(bytes.TrimPrefix(last.Tree, []byte("\xd9\xd9\xf7"))) // self-described CBOR
		if err != nil {
			t.Fatal(err)
		}
		root := tree.Root()
		if data := certifiedData(t, i, systemcanisters.CyclesToken, last.Certificate); !bytes.Equal(data, root[:]) {
			t.Errorf("the root %x is certified, and the tree has %x", data, root)
		}
		if number, _ := tree.Lookup("last_block_index"); !bytes.Equal(number, certify.Nat(index)) {
			t.Errorf("the last block is %x, want %d", number, index)
		}
		got := queried[blocks](t, i, systemcanisters.CyclesToken, "icrc3_get_blocks", []part{{*done.Ok, candid.NatOf(1)}})
		if len(got.Blocks) != 1 || got.Blocks[0].Block.Map == nil {
			t.Fatalf("block %d is %+v", index, got)
		}
		entries := *got.Blocks[0].Block.Map
		parent := slices.IndexFunc(entries, func(f field) bool { return f.Name == "phash" })
		if before != nil && (parent < 0 || !bytes.Equal(*entries[parent].Value.Blob, before)) {
			t.Errorf("block %d does not name %x, the certified hash of the block before", index, before)
		}
		before, _ = tree.Lookup("last_block_hash")
	}
}
