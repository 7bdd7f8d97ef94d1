package real

import "github.com/canisterd/canisterd/replica"

// attest says what a canister attests of the user, of whom every message tells it
// from now on; nothing where it is empty.
func (p *performer) attest(rest string) {
	p.Info = nil
	if signer, info := cut(rest); signer != "" {
		p.Info = &replica.SenderInfo{Info: []byte(info), Signer: p.ID(signer)}
	}
}
