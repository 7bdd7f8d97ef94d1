package real

import (
	"bytes"
	"cmp"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// answer tells where a message stands.
func (p *performer) answer(rest string) {
	p.say("%s", p.shown(p.Answer(p.labels[rest])))
}

// status tells what there is to say of a canister.
func (p *performer) status(rest string) {
	c := p.Canister(p.ID(rest))
	if c == nil {
		p.say("%s does not exist", rest)
		return
	}
	code := "empty"
	if c.Module() != nil {
		code = "has code"
	}
	timer := ""
	if c.Timer != 0 {
		timer = ", its timer is set"
	}
	p.say("%s is %s and %s, version %d%s", rest, c.Status, code, c.Version, timer)
}

// logs tells the newest records of a canister's log.
func (p *performer) logs(rest string) {
	const most = 5
	log := &p.Canister(p.ID(rest)).Logs
	for i := max(0, log.Len()-most); i < log.Len(); i++ {
		p.say("%s", cmp.Or(printable(string(log.At(i).Content)), "(an empty record)"))
	}
}

// certified tells a canister's certified data, from two certificates that verify:
// what anybody may ask of the subnet, and what the canister has in a query.
func (p *performer) certified(rest string) {
	id, view := p.ID(rest), p.View()
	path := certify.CanisterPath(id, "certified_data")
	asked := p.verified(id, view.Certificate(view.SubnetOf(id), certify.FlatRanges, path), path)
	own := p.verified(id, p.Query(rest, "query", p.program("reply certificate")).Reply, path)
	if !bytes.Equal(asked, own) {
		p.t.Errorf("the subnet certifies %x for %s, a query has %x", asked, rest, own)
	}
	p.say("certified: %s", readable(own))
}

// verified is what a certificate says at a path about a canister.
func (p *performer) verified(id principal.Principal, raw []byte, path certify.Path) []byte {
	p.t.Helper()
	certificate, err := certify.DecodeCertificate(raw)
	if err != nil {
		p.t.Fatalf("certificate about %s: %v", id, err)
	}
	root, err := certify.ParseSubnetPublicKey(p.RootKey())
	if err != nil {
		p.t.Fatalf("root key: %v", err)
	}
	if err := certificate.VerifyForCanister(root, id); err != nil {
		p.t.Errorf("certificate about %s: %v", id, err)
	}
	value, _ := certificate.Tree.Lookup(path...)
	return value
}

// census tells what is open.
func (p *performer) census(string) {
	c := p.Census()
	p.say("%d contexts, %d futures, %d waiting, %d parked", c.Contexts, c.Futures, c.Waiting, c.Parked)
}
