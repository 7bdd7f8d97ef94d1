package wire

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"math/big"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/refusal"
)

// Keys and signatures of real devices over the bytes "hello" (published with the
// replica's own tests): a YubiKey's on P-256, Windows Hello's with RSA.
const (
	yubiKey = "305e300c060a2b0601040183b8430101034e00a5010203262001215820b487d183dc4806058eb31a29bedefd7bcca987b77a381a3684871d8449c183942258202a122cc711a80453678c3032de4b6fff2c86342e82d1e7adb617c4165c43ce5e"
	yubiSig = "d9d9f7a37261757468656e74696361746f725f646174615825bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b5010000000170636c69656e745f646174615f6a736f6e58517b2274797065223a2022776562617574686e2e676574222c20226368616c6c656e6765223a202261475673624738222c20226f726967696e223a202268747470733a2f2f6578616d706c652e6f7267227d697369676e617475726558463044022063627c69661048fb111b13dec2f3675010493c1c276c6a144f44e1fabab01d300220517d3cbd70658933dab63fd23cf05f7274aea6afad206be04d4ec5e268b471d2"

	helloKey = "30820123300c060a2b0601040183b84301010382011100a401030339010020590100c6b690341eef02719f6d1dfce2db1f77ac9bd632ba70efcee92bae2073c09927ee3670a6696eec0cee96189ddb448d04ec4e4674e940af9f905e893b4ce25821ada8b45c6cd11f2ee0cda668c7c2a2a8a56d5e1f23f5ca0bb6e193c1d34ead16d84cc4b72e26763711fcf49fac3b508715dc9f494ec1379ed5a95c53b9b1edcc027d7013248bbe6d1e1445912a5a21b27168db7f60aa73253e981c33f54f61c67dbce3d9c10d5f0e6af1c112a65c8ce64a1d01ae1e31a53e3d4525addcece402f1e62208d42ebde528830f93bebc898901947ec0fb218a96a53968d07e09b8a067e5a4c825632e24e450c4c9ef8138dcc91f9f9168a603c13bd4f2f8a0d3ee6b2143010001"
	helloSig = "d9d9f7a3697369676e617475726559010001dac0ad9ee89c9b9d3f772bb8dd79bc16839a026bf4378629789bede8e5e284bce9c59e2c5b2fd5d8daff964d4eec1a43eb6f083595f1ce42c9f78445dba95146e3338680ca72f7720371d88d56ab6578a67f9791954787d54e4c5687bb0d3379a268dbaa9dc8dd550187953c349e10e454c0950cfeaf37c5f01ff09a5b581fb81de8bfe9be21a8baa5f96653fce6eaf485d8726e1f620454c145fa542756e7b606f1ab9439a081bb01fec8be7679c72e2ce110655a36a01bde34be7be9e6270334d9b3f242ff12852992eeb515b13989245d049500629a5ac38c40f09dd218e8e1a790d3034418b7c3b59a6ac73e91b5bf4cf7c62d8e6de2dbaf00117045c070636c69656e745f646174615f6a736f6e786a7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a2261475673624738222c226f726967696e223a2268747470733a2f2f6333656634366165616437622e6e67726f6b2e696f222c2263726f73734f726967696e223a66616c73657d7261757468656e74696361746f725f6461746158252f8ceaf48dec5b53d9ddacaaf8b66392ded1691211f24e687badad8049b59ef60500000001"
)

func TestSignaturesOfRealDevicesHold(t *testing.T) {
	for name, c := range map[string][2]string{"P-256": {yubiKey, yubiSig}, "RSA": {helloKey, helloSig}} {
		key, sig := hexBytes(c[0]), hexBytes(c[1])
		if err := noTrust.verify(key, []byte("hello"), sig); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		err := noTrust.verify(key, []byte("\x00hi"), sig)
		if err == nil || err.Error() != "Challenge in webauthn is [104, 101, 108, 108, 111] while it is expected to be [0, 104, 105]" {
			t.Errorf("%s, another message: %v", name, err)
		}
	}
}

// device is a security device in software. client makes the client data for a
// challenge; what it gives is signed.
type device struct {
	cose   []byte
	sign   func(covered []byte) []byte
	client func(challenge []byte) string
}

func clientData(challenge []byte) string {
	return `{"type":"webauthn.get","challenge":"` + base64.RawURLEncoding.EncodeToString(challenge) + `","origin":"https://example.org","crossOrigin":false}`
}

// pairsOf is a map with numbers for keys, its values encoded already.
func pairsOf(pairs ...any) []byte {
	dst := appendMap(nil, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		dst = append(append(dst, number(pairs[i].(int))...), pairs[i+1].([]byte)...)
	}
	return dst
}

func number(n int) []byte {
	if n < 0 {
		return certify.AppendHead(nil, majorNegative, uint64(-1-n))
	}
	return nat(uint64(n))
}

// wrapCOSE puts a COSE key into its DER wrapping.
func wrapCOSE(cose []byte) []byte {
	inner := append(hexBytes("300c060a2b0601040183b8430101"), sized(3, append([]byte{0}, cose...))...)
	return sized(0x30, inner)
}

// sized is a DER value with its length.
func sized(tag byte, body []byte) []byte {
	switch n := len(body); {
	case n < 0x80:
		return append([]byte{tag, byte(n)}, body...)
	case n < 0x100:
		return append([]byte{tag, 0x81, byte(n)}, body...)
	default:
		return append(binary.BigEndian.AppendUint16([]byte{tag, 0x82}, uint16(n)), body...)
	}
}

func p256Device(t testing.TB) device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return device{
		cose: pairsOf(1, nat(2), 3, number(-7), -1, nat(1), -2, blob(point[1:33]), -3, blob(point[33:])),
		sign: func(covered []byte) []byte {
			digest := sha256.Sum256(covered)
			sig, err := ecdsa.SignASN1(rand.Reader, key, digest[:])
			if err != nil {
				t.Error(err)
			}
			return sig
		},
		client: clientData,
	}
}

func rsaDevice(t testing.TB) device {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return device{
		cose: pairsOf(1, nat(3), 3, number(-257), -1, blob(key.N.Bytes()), -2, blob([]byte{1, 0, 1})),
		sign: func(covered []byte) []byte {
			digest := sha256.Sum256(covered)
			sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
			if err != nil {
				t.Error(err)
			}
			return sig
		},
		client: clientData,
	}
}

func ed25519Device(testing.TB) device {
	seed := sha256.Sum256([]byte("device"))
	key := ed25519.NewKeyFromSeed(seed[:])
	return device{
		cose:   pairsOf(1, nat(1), 3, number(-8), -1, nat(6), -2, blob(key.Public().(ed25519.PublicKey))),
		sign:   func(covered []byte) []byte { return ed25519.Sign(key, covered) },
		client: clientData,
	}
}

func devices(t testing.TB) map[string]device {
	return map[string]device{"EcdsaP256": p256Device(t), "RsaSha256": rsaDevice(t), "Ed25519": ed25519Device(t)}
}

// identity is a user with the device.
func (d device) identity() Identity {
	return NewIdentity(wrapCOSE(d.cose), func(message []byte) ([]byte, error) {
		return d.assertion(message), nil
	})
}

func (d device) assertion(challenge []byte) []byte {
	authenticator, client := []byte("authenticator data"), d.client(challenge)
	digest := sha256.Sum256([]byte(client))
	sig := d.sign(append(append([]byte{}, authenticator...), digest[:]...))
	return append(append([]byte{}, selfDescribed...), encodeMap(
		pair{"authenticator_data", blob(authenticator)}, pair{"client_data_json", blob([]byte(client))}, pair{"signature", blob(sig)})...)
}

func TestDevicesSignRequestsAndDelegations(t *testing.T) {
	for name, d := range devices(t) {
		id := d.identity()
		for what, id := range map[string]Identity{"itself": id, "by a session": delegate(t, id, DelegationTerms{})} {
			claims, err := Authenticate(decodedCall(t, id), instant, nil)
			if err != nil || claims.Sender != id.Sender() {
				t.Errorf("%s %s: %+v, %v", name, what, claims, err)
			}
		}
		last, err := person(t, "alice").Delegate(id, DelegationTerms{Expiration: instant})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Authenticate(decodedCall(t, last), instant, nil); err != nil {
			t.Errorf("%s, delegated to: %v", name, err)
		}
	}
}

func TestAssertionsThatDoNotHoldAreNamed(t *testing.T) {
	for name, good := range devices(t) {
		for _, c := range []struct {
			name   string
			change func(d *device)
			text   string
		}{
			{"no object", func(d *device) { d.client = func([]byte) string { return `[]` } }, "WebAuthn envelope creation failed: ClientDataJSON parsing failed with: it is not an object"},
			{"no challenge", func(d *device) { d.client = func([]byte) string { return `{"type":"","origin":""}` } }, "WebAuthn envelope creation failed: ClientDataJSON parsing failed with: missing field `challenge`"},
			{"a challenge in other letters", func(d *device) { d.client = func([]byte) string { return `{"type":"","origin":"","Challenge":"aa"}` } }, "missing field `challenge`"},
			{"two challenges", func(d *device) {
				d.client = func(c []byte) string {
					return strings.Replace(clientData(c), `{`, `{"challenge":"aGVsbG8",`, 1)
				}
			}, "ClientDataJSON parsing failed with: duplicate field `challenge`"},
			{"a number for a challenge", func(d *device) { d.client = func([]byte) string { return `{"type":"","origin":"","challenge":1}` } }, "field `challenge` is not a string"},
			{"bytes after it", func(d *device) { d.client = func(c []byte) string { return clientData(c) + "x" } }, "ClientDataJSON parsing failed with: trailing characters"},
			{"cut off", func(d *device) { d.client = func(c []byte) string { return clientData(c)[:40] } }, "ClientDataJSON parsing failed with: "},
			{"padded", func(d *device) {
				d.client = func([]byte) string { return `{"type":"","origin":"","challenge":"aGVsbG8="}` }
			}, "WebAuthn envelope creation failed: Challenge base64url parsing failed with: "},
			{"over two lines", func(d *device) {
				d.client = func([]byte) string { return `{"type":"","origin":"","challenge":"aGVs\nbG8"}` }
			}, "Challenge base64url parsing failed with: "},
			{"loose bits", func(d *device) {
				d.client = func([]byte) string { return `{"type":"","origin":"","challenge":"aGVsbG9"}` }
			}, "Challenge base64url parsing failed with: "},
			{"another challenge", func(d *device) { d.client = func([]byte) string { return clientData([]byte{1, 2}) } }, "Challenge in webauthn is [1, 2] while it is expected to be [10, 105, 99, "},
			{"something else signed", func(d *device) {
				sign := d.sign
				d.sign = func(covered []byte) []byte { return sign(covered[1:]) }
			}, "Verifying signature failed. signature: 0x"},
		} {
			t.Run(name+", "+c.name, func(t *testing.T) {
				d := good
				c.change(&d)
				_, err := Authenticate(decodedCall(t, d.identity()), instant, nil)
				wantRefusal(t, err, refusal.Invalid, "Invalid signature: ")
				wantRefusal(t, err, refusal.Invalid, c.text)
			})
		}
	}
	d := p256Device(t)
	d.sign = func([]byte) []byte { return []byte{0x30, 0} }
	_, err := Authenticate(decodedCall(t, d.identity()), instant, nil)
	wantRefusal(t, err, refusal.Invalid, "Invalid signature: Failed to parse EcdsaP256 signature: Malformed EcdsaP256 signature: [3000] error: 'Error parsing DER signature: ")
	_, err = Authenticate(decodedCall(t, NewIdentity(wrapCOSE(d.cose), func([]byte) ([]byte, error) { return []byte{0xa0}, nil })), instant, nil)
	wantRefusal(t, err, refusal.Invalid, "Invalid signature: Signature CBOR parsing failed with: missing field `authenticator_data`")
}

func TestCOSEKeysAreTakenOrNamed(t *testing.T) {
	const failed, unsupported = ", error: Failed to parse COSE public key", "Algorithm Unspecified not supported: Algorithm not supported in COSE parser"
	x := blob(make([]byte, 32))
	modulus := blob(append([]byte{0x80}, append(make([]byte, 254), 1)...))
	for _, c := range []struct {
		name string
		cose []byte
		text string // empty where it is taken
	}{
		{"nothing", nil, "Malformed Unspecified public key: " + failed},
		{"an array", array(), failed},
		{"bytes after it", append(pairsOf(1, nat(1), 3, number(-8), -1, nat(6), -2, x), 0), failed},
		{"a parameter twice", pairsOf(1, nat(1), 1, nat(1), 3, number(-8), -1, nat(6), -2, x), failed},
		{"no algorithm", pairsOf(1, nat(2)), "Malformed Unspecified public key: a10102" + failed},
		{"no type", pairsOf(3, number(-7)), failed},
		{"ES384", pairsOf(1, nat(2), 3, number(-35)), unsupported},
		{"an algorithm that does not fit the type", pairsOf(1, nat(1), 3, number(-7)), unsupported},
		{"another curve", pairsOf(1, nat(2), 3, number(-7), -1, nat(2)), unsupported},
		{"no curve", pairsOf(1, nat(2), 3, number(-7)), "Malformed EcdsaP256 public key: "},
		{"no point", pairsOf(1, nat(2), 3, number(-7), -1, nat(1)), "Malformed EcdsaP256 public key: "},
		{"a point off the curve", pairsOf(1, nat(2), 3, number(-7), -1, nat(1), -2, x, -3, x), "Malformed EcdsaP256 public key: "},
		{"a compressed point", pairsOf(1, nat(2), 3, number(-7), -1, nat(1), -2, x, -3, []byte{0xf5}), "Malformed EcdsaP256 public key: "},
		{"for something else", pairsOf(1, nat(2), 3, number(-7), 4, text("sign")), unsupported},
		{"Ed448", pairsOf(1, nat(1), 3, number(-8), -1, nat(7)), unsupported},
		{"a short Ed25519 key", pairsOf(1, nat(1), 3, number(-8), -1, nat(6), -2, blob([]byte{1})), "Malformed Ed25519 public key: "},
		{"Ed25519 without a curve", pairsOf(1, nat(1), 3, number(-8)), "Malformed Ed25519 public key: "},
		{"Ed25519", pairsOf(1, nat(1), 3, number(-8), -1, nat(6), -2, x), ""},
		{"Ed25519 to verify", pairsOf(1, nat(1), 3, number(-8), -1, nat(6), -2, x, 4, text("verify")), ""},
		{"RSA", pairsOf(1, nat(3), 3, number(-257), -1, modulus, -2, blob([]byte{3})), ""},
		{"RSA of 2048 bits", rsaKey(2048, 3), ""},
		{"RSA of 2047 bits", rsaKey(2047, 3), "Malformed RsaSha256 public key: "},
		{"RSA of 8192 bits", rsaKey(8192, 3), ""},
		{"RSA of 8193 bits", rsaKey(8193, 3), "Malformed RsaSha256 public key: "},
		{"RSA with an exponent of 31 bits", rsaKey(2048, 1<<30+1), ""},
		{"RSA with an exponent of 32 bits", rsaKey(2048, 1<<31+1), "Malformed RsaSha256 public key: "},
		{"RSA of 1024 bits", pairsOf(1, nat(3), 3, number(-257), -1, blob(append([]byte{0x80}, append(make([]byte, 126), 1)...)), -2, blob([]byte{3})), "Malformed RsaSha256 public key: "},
		{"RSA of 16384 bits", pairsOf(1, nat(3), 3, number(-257), -1, blob(append([]byte{0x80}, append(make([]byte, 2046), 1)...)), -2, blob([]byte{3})), "Malformed RsaSha256 public key: "},
		{"RSA with an even exponent", pairsOf(1, nat(3), 3, number(-257), -1, modulus, -2, blob([]byte{2})), "Malformed RsaSha256 public key: "},
		{"RSA with a huge exponent", pairsOf(1, nat(3), 3, number(-257), -1, modulus, -2, modulus), "Malformed RsaSha256 public key: "},
		{"RSA without a modulus", pairsOf(1, nat(3), 3, number(-257), -2, blob([]byte{3})), "Malformed RsaSha256 public key: "},
	} {
		_, err := parsePublicKey(wrapCOSE(c.cose))
		if c.text == "" && err != nil || c.text != "" && (err == nil || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("%s: got %v\nwant …%s…", c.name, err, c.text)
		}
	}
}

// rsaKey is a COSE key with an odd modulus of a given size in bits.
func rsaKey(bits uint, exponent uint32) []byte {
	modulus := new(big.Int).Lsh(big.NewInt(1), bits-1)
	modulus.SetBit(modulus, 0, 1)
	return pairsOf(1, nat(3), 3, number(-257), -1, blob(modulus.Bytes()), -2, blob(binary.BigEndian.AppendUint32(nil, exponent)))
}
