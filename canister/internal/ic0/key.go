package ic0

// KeyScheme is the scheme of a threshold key.
type KeyScheme uint8

// The schemes.
const (
	ECDSASecp256k1 KeyScheme = iota
	SchnorrBIP340
	SchnorrEd25519
	VetKDBLS12381G2
	ECDSASecp256r1 // after the others: files of exported instances have these numbers
	KeySchemes     // their number
)

// Key is a name for which every scheme has a threshold key, and the size of the subnet that holds these keys.
type Key struct {
	Name  string
	Nodes uint64
}
