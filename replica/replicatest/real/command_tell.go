package real

import (
	"github.com/canisterd/canisterd/replica/certify"
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
		p.say("%s", printable(string(log.At(i).Content)))
	}
}

// certified tells a canister's certified data from a certificate that verifies.
func (p *performer) certified(rest string) {
	id, view := p.ID(rest), p.View()
	path := certify.CanisterPath(id, "certified_data")
	certificate, err := certify.DecodeCertificate(view.Certificate(view.SubnetOf(id), certify.FlatRanges, path))
	if err != nil {
		p.t.Fatalf("certificate of %s: %v", rest, err)
	}
	root, err := certify.ParseSubnetPublicKey(p.RootKey())
	if err != nil {
		p.t.Fatalf("root key: %v", err)
	}
	if err := certificate.VerifyForCanister(root, id); err != nil {
		p.t.Errorf("certificate of %s: %v", rest, err)
	}
	value, _ := certificate.Tree.Lookup(path...)
	p.say("certified: %s", readable(value))
}

// census tells what is open.
func (p *performer) census(string) {
	c := p.Census()
	p.say("%d contexts, %d futures, %d waiting, %d parked", c.Contexts, c.Futures, c.Waiting, c.Parked)
}
