package threshold

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"testing"

	"filippo.io/edwards25519"
	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/canisterd/canisterd/candid/principal"
)

func raw(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func want(t testing.TB, what string, got []byte, expected string) {
	t.Helper()
	if hex.EncodeToString(got) != expected {
		t.Errorf("%s is %x, want %s", what, got, expected)
	}
}

// mainnetPaths are the paths for which canisters on mainnet have published keys,
// by the name of the master key.
func mainnetPaths() map[string][][]byte {
	canister := principal.MustParse("h5jwf-5iaaa-aaaan-qmvoa-cai").Bytes()
	return map[string][][]byte{
		"key_1":      {canister, {0xab, 0xcd, 0xef}, {0x01, 0x23, 0x45}},
		"test_key_1": {canister, []byte("Hello"), []byte("Threshold"), []byte("Signatures")},
	}
}

func TestKeysOverSecp256k1AreDerivedAsOnMainnet(t *testing.T) {
	for _, v := range []struct{ name, scheme, master, derived string }{
		{"key_1", "ECDSA", "02121bc3a5c38f38ca76487c72007ebbfd34bc6c4cb80a671655aa94585bbd0a02", "02735ca28b5c3e380016d7f28bf4703b540a8bbe8e24beffdc021455ca2ab93fe3"},
		{"test_key_1", "ECDSA", "02f9ac345f6be6db51e1c5612cddb59e72c3d0d493c994d12035cf13257e3b1fa7", "0315ae8bb8c6e9f78eec2167f5ac773067f37a39da1a1efbc585f9e90658d1c620"},
		{"key_1", "BIP 340", "02246e29785f06d37a8a50c49f6152a34df74738f8c13a44f59fef4cbe90eb13ac", "03e5e92c2399985f82521b110ac3dbf697a6b9522002c0d31d0b7cd5352c343457"},
		{"test_key_1", "BIP 340", "037a651a2e5ef3d1ef63e84c4c4caa029fa4a43a347a91e4d84a8e846853d51be1", "0237ca6a41c1db8ab40410445250a5d46fbec7f3e449c8f40f86d8622a4106cebd"},
	} {
		point := parsed(t, v.master)
		deriveSecp256k1(&point, [ChainCodeBytes]byte{}, mainnetPaths()[v.name])
		key := compressed(&point)
		want(t, v.scheme+" "+v.name, key[:], v.derived)
	}
}

func parsed(t *testing.T, text string) (point secp256k1.JacobianPoint) {
	t.Helper()
	key, err := secp256k1.ParsePubKey(raw(t, text))
	if err != nil {
		t.Fatal(err)
	}
	key.AsJacobian(&point)
	return point
}

// Test vector 1 of SLIP 10 for secp256k1: m/0'/1/2'/2/1000000000 from its
// grandparent.
func TestIndicesOfFourBytesAreThoseOfBIP32(t *testing.T) {
	chain := [ChainCodeBytes]byte(raw(t, "04466b9cc8e161e966409ca52986c584f07e9dc81f735db683c3ff6ec7b1503f"))
	var secret secp256k1.ModNScalar
	secret.SetByteSlice(raw(t, "cbce0d719ecf7431d88e6a89fa1483e02e35092af60c042b1df2ff59fa424dca"))
	point := times(&secret)
	key := compressed(&point)
	want(t, "the parent's public key", key[:], "0357bfe1e341d01c69fe5654309956cbea516822fba8a601743a012a7896ee8dc2")
	offset, chain := deriveSecp256k1(&point, chain, bip32(2, 1000000000))
	derived := offset.Add(&secret).Bytes()
	want(t, "the secret key", derived[:], "471b76e389e528d6de6d816857e012c5455051cad6660850e58372a6c3e6e7c8")
	want(t, "the chain code", chain[:], "c783e67b921d2beb8f6b389cc646d7263b4145701dadd2161548a8b078e65e9e")
	key = compressed(&point)
	want(t, "the public key", key[:], "022a471424da5e657499d1ff51cb43c47481a03b1e77f951fe64cec9f5a48f7011")
}

// Test vectors of SLIP 10 for nist256p1: m/0'/1 of the first from its parent, and
// m/28578'/33941, whose first offset is not below the order.
func TestKeysOverSecp256r1AreDerivedAsInSLIP10(t *testing.T) {
	for _, v := range []struct {
		secret, chain, public string
		index                 uint32
		wantSecret, wantChain string
		wantPublic            string
	}{
		{
			"6939694369114c67917a182c59ddb8cafc3004e63ca5d3b84403ba8613debc0c", "3460cea53e6a6bb5fb391eeef3237ffd8724bf0a40e94943c98b83825342ee11",
			"0384610f5ecffe8fda089363a41f56a5c7ffc1d81b59a612d0d649b2d22355590c", 1,
			"284e9d38d07d21e4e281b645089a94f4cf5a5a81369acf151a1c3a57f18b2129", "4187afff1aafa8445010097fb99d23aee9f599450c7bd140b6826ac22ba21d0c",
			"03526c63f8d0b4bbbf9c80df553fe66742df4676b241dabefdef67733e070f6844",
		},
		{
			"06f0db126f023755d0b8d86d4591718a5210dd8d024e3e14b6159d63f53aa669", "e94c8ebe30c2250a14713212f6449b20f3329105ea15b652ca5bdfc68f6c65c2",
			"02519b5554a4872e8c9c1c847115363051ec43e93400e030ba3c36b52a3e70a5b7", 33941,
			"092154eed4af83e078ff9b84322015aefe5769e31270f62c3f66c33888335f3a", "9e87fe95031f14736774cd82f25fd885065cb7c358c1edf813c72af535e83071",
			"0235bfee614c0d5b2cae260000bb1d0d84b270099ad790022c1ae0b2e782efe120",
		},
	} {
		secret := new(big.Int).SetBytes(raw(t, v.secret))
		key := secp256r1Public(secret)
		want(t, "the parent's public key", key[:], v.public)
		derived, chain := deriveSecp256r1(secret, [ChainCodeBytes]byte(raw(t, v.chain)), bip32(v.index))
		want(t, "the secret key", secp256r1Bytes(derived), v.wantSecret)
		want(t, "the chain code", chain[:], v.wantChain)
		key = secp256r1Public(derived)
		want(t, "the public key", key[:], v.wantPublic)
	}
}

// RFC 6979, A.2.5, "sample" with SHA-256; s of the RFC is over half the order.
func TestTheNonceOverSecp256r1IsThatOfRFC6979(t *testing.T) {
	secret := new(big.Int).SetBytes(raw(t, "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"))
	s := new(big.Int).SetBytes(raw(t, "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"))
	signature := (&Secp256r1{secret}).SignECDSA(nil, sha256.Sum256([]byte("sample")))
	want(t, "the signature of \"sample\"", signature[:], "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"+
		hex.EncodeToString(secp256r1Bytes(s.Sub(secp256r1Order(), s))))
}

func bip32(indices ...uint32) (path [][]byte) {
	for _, i := range indices {
		path = append(path, binary.BigEndian.AppendUint32(nil, i))
	}
	return path
}

func TestTheNonceOfECDSAIsThatOfRFC6979(t *testing.T) {
	k := new(Secp256k1)
	k.secret.SetByteSlice(raw(t, "8f44c8e5da21a3e2933fbf732519a604891b4731f19045f078e6ce57893c1f2a"))
	hash := [32]byte(raw(t, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
	signature := k.SignECDSA(nil, hash)
	want(t, "the signature of \"abc\"", signature[:], "d8bdb0ddfc8ebb8be42649048e92edc8547d1587b2a8f721738a2ecc0733401c"+
		"70e86d3042ebbb50dccfbfbdf6c0462c7be45bcd0208d33e34efec273a86eab9")
}

// The vectors of BIP 340 that have a secret key.
func TestSignaturesAreThoseOfBIP340(t *testing.T) {
	for _, v := range []struct{ secret, aux, message, signature string }{
		{
			"0000000000000000000000000000000000000000000000000000000000000003", "0000000000000000000000000000000000000000000000000000000000000000",
			"0000000000000000000000000000000000000000000000000000000000000000",
			"e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca821525f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0",
		},
		{
			"b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef", "0000000000000000000000000000000000000000000000000000000000000001",
			"243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89",
			"6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de33418906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a",
		},
		{
			"c90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b14e5c9", "c87aa53824b4d7ae2eb035a2b5bbbccc080e76cdc6d1692c4b0b62d798e6d906",
			"7e2d58d8b3bcdf1abadec7829054f90dda9805aab56c77333024b9d0a508b75c",
			"5831aaeed7b44bb74e5eab94ba9d4294c49bcf2a60728d8b4c200f50dd313c1bab745879a5ad954a72c45a91c3a51d3c7adea98d82f8481e0e1e03674a6f3fb7",
		},
		{
			"0b432b2677937381aef05bb02a66ecd012773062cf3fa2549e44f58ed2401710", "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
			"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
			"7eb0509757e246f19449885651611cb965ecc1a187dd51b64fda1edc9637d5ec97582b9cb13db3933705b32ba982af5af25fd78881ebb32771fc5922efc66ea3",
		},
	} {
		var secret secp256k1.ModNScalar
		secret.SetByteSlice(raw(t, v.secret))
		signature := signBIP340(&secret, raw(t, v.message), [32]byte(raw(t, v.aux)))
		want(t, "the signature with "+v.secret, signature[:], v.signature)
	}
}

// The wallet test vectors of BIP 341: the tweaked secret without and with a
// script tree.
func TestTweakedSecretsAreThoseOfBIP341(t *testing.T) {
	for _, v := range []struct{ internal, root, tweaked string }{
		{"6b973d88838f27366ed61c9ad6367663045cb456e28335c109e30717ae0c6baa", "", "2405b971772ad26915c8dcdf10f238753a9b837e5f8e6a86fd7c0cce5b7296d9"},
		{
			"1e4da49f6aaf4e5cd175fe08a32bb5cb4863d963921255f33d3bc31e1343907f", "5b75adecf53548f3ec6ad7d78383bf84cc57b55a3127c72b9a2481752dd88b21",
			"ea260c3b10e60f6de018455cd0278f2f5b7e454be1999572789e6a9565d26080",
		},
	} {
		var secret secp256k1.ModNScalar
		secret.SetByteSlice(raw(t, v.internal))
		tweaked := tweak(&secret, raw(t, v.root))
		got := tweaked.Bytes()
		want(t, "the tweaked secret", got[:], v.tweaked)
	}
}

func TestKeysForEd25519AreDerivedAsOnMainnet(t *testing.T) {
	for _, v := range []struct{ name, master, derived string }{
		{"key_1", "476374d9df3a8af28d3164dc2422cff894482eadd1295290b6d9ad92b2eeaa5c", "43f0008b26564b6da51f585ad47669dfeb1db6d94d7dd216bd304fc1f5f5e997"},
		{"test_key_1", "6c0824beb37621bcca6eecc237ed1bc4e64c9c59dcb85344aa7f9cc8278ee31f", "d9a2ce6a3cd33fe16dce37e045609e51ff516e93bb51013823d6d7a915e3cfb9"},
	} {
		point, err := new(edwards25519.Point).SetBytes(raw(t, v.master))
		if err != nil {
			t.Fatal(err)
		}
		deriveEd25519(point, [ChainCodeBytes]byte{}, mainnetPaths()[v.name])
		want(t, v.name, point.Bytes(), v.derived)
	}
	point, err := new(edwards25519.Point).SetBytes(raw(t, "931387a550eb4524a7af29381b938df38e76aeecac08e2cfaae4f4ca99bb4881"))
	if err != nil {
		t.Fatal(err)
	}
	_, chain := deriveEd25519(point, [ChainCodeBytes]byte{}, bip32(1, 2))
	want(t, "a key two steps down", point.Bytes(), "8efb675fcaf45c93e785ff535e380d9019c876a7c5faed264b911f97ef34d838")
	want(t, "its chain code", chain[:], "2562ad75c50708f8d20c442e48b3f8ee851570be256ef0a7060b9f755a837216")
}

// RFC 8032, section 7.1, tests 1 and 3.
func TestSignaturesAreThoseOfRFC8032(t *testing.T) {
	for _, v := range []struct{ seed, message, signature string }{
		{
			"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "",
			"e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
		},
		{
			"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7", "af82",
			"6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
		},
	} {
		wide := sha512.Sum512(raw(t, v.seed))
		secret, err := edwards25519.NewScalar().SetBytesWithClamping(wide[:32])
		if err != nil {
			t.Fatal(err)
		}
		public := new(edwards25519.Point).ScalarBaseMult(secret)
		signature := signEd25519(secret, public, wide[32:], raw(t, v.message))
		want(t, "the signature of "+v.message, signature[:], v.signature)
	}
}

func TestKeysForVetKDAreDerivedAsPublished(t *testing.T) {
	master := g2(t, "9183b871aa141d15ba2efc5bc58a49cb6a167741364804617f48dfe11e0285696b7018f172dad1a87ed81abf27ea4c320995041e2ee4a47b2226a2439d92a38557a7e2acc72fd157283b20f1f37ba872be235214c6a9cbba1eb2ef39deec72a5")
	_, point := deriveVetKD(&master, []byte("test-canister-id"), nil)
	key := point.Bytes()
	want(t, "the canister's key", key[:], "af78a908589d332fc8b9d042807c483e73872e2aea7620bdb985b9289d5a99ebfd5ac0ec4844a4c542f6d0f12a716d941674953cef4f38dde601ce9792db8832557eaa051733c5541fa5017465d69b62cc4d93f2079fb8c050b4bd735ef75859")
	_, point = deriveVetKD(&master, []byte("test-canister-id"), []byte("test-context"))
	key = point.Bytes()
	want(t, "the key for a context", key[:], "a20125b8cdfc57f71b6f67e557e82c1307c1af9f728573f3b682f3b1816684f3f6aed5d8dd40a309b457a25dab7d8a1416fc0e0973000321c0c1dd844d80a5708e81fdd8338ea6433f175992fa05ef343b1e7f89a09f3b5b7c0766ccb3c624cd")
}

func g2(t *testing.T, text string) (point bls.G2Affine) {
	t.Helper()
	if _, err := point.SetBytes(raw(t, text)); err != nil {
		t.Fatal(err)
	}
	return point
}
