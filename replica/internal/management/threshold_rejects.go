package management

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// rejectUnrouted rejects a call without a route to a subnet. cause is the replica's error as its debugger prints it.
func rejectUnrouted(method, cause string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterNotFound, "Unable to route management canister request %s: %s", method, cause).WithoutErrorCode()
}

func rejectUnroutedPayload(method string, err error) *intercanister.Reject {
	return rejectUnrouted(method, fmt.Sprintf("UserError(UserError { code: InvalidManagementPayload, description: %s })", debugged(undecodable(err))))
}

// rejectUnknownKey rejects a key that the network does not have; signs selects the text for signatures or for public
// keys.
func rejectUnknownKey(method string, id state.KeyID, known []state.KeyID, signs bool) *intercanister.Reject {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = k.String()
	}
	slices.Sort(names)
	format := "Requested unknown threshold key: %s, existing keys: [%s]"
	if signs {
		format = "Requested unknown or disabled threshold key: %s, existing enabled keys: [%s]"
	}
	return rejectUnrouted(method, "ChainKeyError("+debugged(fmt.Sprintf(format, id, strings.Join(names, ", ")))+")")
}

// rejectNotHeld rejects a call that names a subnet which does not hold the key.
func rejectNotHeld(subnet principal.Principal, id state.KeyID) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "Subnet %s does not hold threshold key %s.", subnet, id)
}

func rejectSignatureQueue(method string, id state.KeyID) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "%s request failed: request queue for key %s is full.", method, id)
}

func rejectAux(algorithm string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "Invalid aux field for %s", algorithm)
}

func rejectNoAux(algorithm string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "Schnorr algorithm %s does not support aux input", algorithm)
}

func rejectTransportKey() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "The provided transport public key is invalid.")
}

// debugged formats text as Rust's debugger prints it.
func debugged(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		switch c {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case 0:
			b.WriteString(`\0`)
		default:
			if unicode.IsPrint(c) {
				b.WriteRune(c)
			} else {
				fmt.Fprintf(&b, `\u{%x}`, c)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}
