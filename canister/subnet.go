package canister

import "github.com/canisterd/canisterd/canister/internal/ic0"

// Subnet is the input of a subnet to every execution of a round.
type Subnet = ic0.Subnet

// Key is a name of threshold keys and the size of the subnet that holds them, which determines the price of signatures.
type Key = ic0.Key

// KeyScheme is the scheme of a threshold key.
type KeyScheme = ic0.KeyScheme

// The schemes.
const (
	ECDSASecp256k1  = ic0.ECDSASecp256k1
	SchnorrBIP340   = ic0.SchnorrBIP340
	SchnorrEd25519  = ic0.SchnorrEd25519
	VetKDBLS12381G2 = ic0.VetKDBLS12381G2
	ECDSASecp256r1  = ic0.ECDSASecp256r1
	KeySchemes      = ic0.KeySchemes
)
