package wire

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
)

// SenderInfo is a canister's attestation of the sender it signs for (interface specification, "Authentication",
// sender_info).
type SenderInfo struct {
	Info   []byte
	Signer principal.Principal
	Sig    []byte
}

func readSenderInfo(content fields) (*SenderInfo, error) {
	it, err := content.optional("sender_info", kindMap)
	if err != nil || it == nil {
		return nil, err
	}
	fs, err := fieldsOf(*it, "field `sender_info`")
	if err != nil {
		return nil, err
	}
	var info SenderInfo
	if info.Info, err = fs.blob("info"); err != nil {
		return nil, fmt.Errorf("sender_info: %w", err)
	}
	if info.Signer, err = fs.principal("signer"); err != nil {
		return nil, fmt.Errorf("sender_info: %w", err)
	}
	if info.Sig, err = fs.blob("sig"); err != nil {
		return nil, fmt.Errorf("sender_info: %w", err)
	}
	return &info, nil
}

// checkSenderInfo refuses attested information without a signature by the canister of the sender's key. The request's
// own signature was checked before.
func (t *Trust) checkSenderInfo(env *Envelope) error {
	if env.SenderInfo == nil {
		return nil
	}
	key, err := parsePublicKey(env.Auth.PublicKey)
	if err != nil {
		return refuse("Invalid sender info: sender_pubkey is not a valid canister signature public key: %v", err)
	}
	if key.scheme != schemeCanisterSignature {
		return refuse("Invalid sender info: sender_pubkey is not a valid canister signature public key: it is a key of the scheme %s", key.scheme)
	}
	signer, _, err := splitCanisterKey(key.raw)
	if err != nil {
		return refuse("Invalid sender info: invalid canister sig public key: %v", err)
	}
	if signer != env.SenderInfo.Signer {
		return refuse("Invalid sender info: signer %s does not match canister ID %s in sender_pubkey", env.SenderInfo.Signer, signer)
	}
	message := append([]byte(domainSenderInfo), env.SenderInfo.Info...)
	if err := t.verifyCanisterSignature(key, message, env.SenderInfo.Sig); err != nil {
		return refuse("Invalid sender info: signature verification failed: %v", err)
	}
	return nil
}
