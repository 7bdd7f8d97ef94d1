package intercanister

import "github.com/canisterd/canisterd/candid/principal"

// SenderInfo is what a canister attests of a user that it signs for (interface specification, "Authentication",
// sender_info). It is read-only.
type SenderInfo struct {
	Info   []byte
	Signer principal.Principal
}

// Parts returns the information and the bytes of the signer's id, both nil if nothing is attested.
func (s *SenderInfo) Parts() (info, signer []byte) {
	if s == nil {
		return nil, nil
	}
	return s.Info, s.Signer.Bytes()
}
