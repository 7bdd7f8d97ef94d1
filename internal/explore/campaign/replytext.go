package campaign

import (
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// noArguments encodes empty Candid arguments.
var noArguments = []byte("DIDL\x00\x00")

func (c *Config) answerText(id principal.Principal, method string, a *harness.Answer) string {
	switch {
	case a.Open:
		return "not answered"
	case a.Reject != nil:
		return "rejected: " + a.Reject.String()
	}
	return c.namedReply(id, method, a.Reply)
}

// namedReply returns a reply in Candid text, with the names of canisters and identities.
func (c *Config) namedReply(id principal.Principal, method string, reply []byte) string {
	return c.Setup.WithNames(c.ReplyText(id, method, reply))
}

// ReplyText returns a reply in Candid text, with field names if the module of the canister has a Candid interface.
func (c *Config) ReplyText(id principal.Principal, method string, reply []byte) string {
	if file, found := c.interfaceOf(id); found {
		if m, declared := file.Method(method); declared {
			if values, err := m.DecodeResults(reply); err == nil {
				return candid.FormatArgs(values)
			}
		}
	}
	values, _, err := candid.Decode(reply)
	if err != nil {
		return "not Candid"
	}
	return candid.FormatArgs(values)
}
