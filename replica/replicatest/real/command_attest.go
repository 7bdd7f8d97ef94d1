package real

import "github.com/canisterd/canisterd/replica"

// attest sets what a canister attests of the user in every message from now on; nothing if it is empty.
func (p *performer) attest(rest string) {
	p.Info = nil
	if signer, info := cut(rest); signer != "" {
		p.Info = &replica.SenderInfo{Info: []byte(info), Signer: p.ID(signer)}
	}
}
