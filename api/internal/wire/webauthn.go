package wire

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/asn1"
	"fmt"
	"math/big"
	"strings"
)

// webAuthnSignature is the response of a security device or passkey to a challenge (Web Authentication, "Authentication
// assertion").
type webAuthnSignature struct {
	authenticator, client, signature []byte
}

// verifyWebAuthn checks that a device signed the message with its key: its challenge was the message, and the signed
// bytes contain that challenge (interface specification, "Web Authentication").
func verifyWebAuthn(key publicKey, message, sig []byte) error {
	signed, err := readWebAuthnSignature(sig)
	if err != nil {
		return phrased("Signature CBOR parsing failed with: %v", err)
	}
	basic, err := signed.basic(key)
	if err != nil {
		return err
	}
	client, err := readClientData(signed.client)
	if err != nil {
		return phrased("WebAuthn envelope creation failed: %v", err)
	}
	digest := sha256.Sum256(signed.client)
	covered := append(bytes.Clone(signed.authenticator), digest[:]...)
	if err := verifyCovered(key, covered, basic); err != nil {
		return phrased("Verifying signature failed. signature: 0x%s; envelope: authenticator_data 0x%s, client_data_json %s; public_key: %s 0x%s. Error: %v",
			hexText(basic), hexText(signed.authenticator), quoted(signed.client), key.scheme, hexText(key.raw), err)
	}
	if !bytes.Equal(client, message) {
		return phrased("Challenge in webauthn is %s while it is expected to be %s", numbers(client), numbers(message))
	}
	return nil
}

func readWebAuthnSignature(sig []byte) (s webAuthnSignature, err error) {
	root, err := document(sig)
	if err != nil {
		return s, err
	}
	fs, err := fieldsOf(root, "the signature")
	if err != nil {
		return s, err
	}
	if s.authenticator, err = fs.bytes("authenticator_data"); err != nil {
		return s, err
	}
	if s.client, err = fs.bytes("client_data_json"); err != nil {
		return s, err
	}
	s.signature, err = fs.bytes("signature")
	return s, err
}

// bytes returns a field that is a blob or a text: clients send JSON either way.
func (fs fields) bytes(name string) ([]byte, error) {
	if it := fs.find(name); it != nil && it.kind == kindText {
		return it.body, nil
	}
	return fs.blob(name)
}

// basic returns the signature in its form outside of WebAuthn, which has ECDSA signatures in DER form.
func (s *webAuthnSignature) basic(key publicKey) ([]byte, error) {
	if key.scheme != schemeP256 {
		return s.signature, nil
	}
	var parts struct{ R, S *big.Int }
	rest, err := asn1.Unmarshal(s.signature, &parts)
	switch {
	case err == nil && len(rest) > 0:
		err = fmt.Errorf("%d bytes after its end", len(rest))
	case err == nil && (parts.R.Sign() <= 0 || parts.S.Sign() <= 0 || parts.R.BitLen() > 256 || parts.S.BitLen() > 256):
		err = fmt.Errorf("its numbers are not those of a signature on P-256")
	}
	if err != nil {
		return nil, phrased("Failed to parse EcdsaP256 signature: %v",
			malformedSignature(schemeP256, s.signature, "Error parsing DER signature: "+err.Error()))
	}
	basic := make([]byte, ecdsaSignatureSize)
	parts.R.FillBytes(basic[:32])
	parts.S.FillBytes(basic[32:])
	return basic, nil
}

// verifyCovered checks the signature of the bytes that a device signs.
func verifyCovered(key publicKey, covered, sig []byte) error {
	if key.scheme != schemeRSA {
		return verifyBasic(key, covered, sig)
	}
	digest := sha256.Sum256(covered)
	if err := rsa.VerifyPKCS1v15(key.rsa, crypto.SHA256, digest[:], sig); err != nil {
		return wrongSignature(key, sig, "Verification")
	}
	return nil
}

// numbers formats bytes as the replica does.
func numbers(b []byte) string {
	texts := make([]string, min(len(b), maxBytesInText))
	for i := range texts {
		texts[i] = fmt.Sprint(b[i])
	}
	if len(b) > len(texts) {
		texts = append(texts, fmt.Sprintf("… (%d bytes)", len(b)))
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// quoted returns bytes as a quoted text, truncated.
func quoted(b []byte) string {
	if len(b) > maxBytesInText {
		return fmt.Sprintf("%q… (%d bytes)", b[:maxBytesInText], len(b))
	}
	return fmt.Sprintf("%q", b)
}
