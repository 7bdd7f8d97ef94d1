package wire

// verifyWebAuthn refuses the keys of security devices and passkeys, which wrap
// COSE keys (interface specification, "Web Authentication").
func verifyWebAuthn() error {
	return phrased("WebAuthn error: signatures of the scheme WebAuthn (COSE keys) are not supported; " +
		"sign with Ed25519, ECDSA on P-256 or ECDSA on secp256k1, or delegate to such a key")
}
