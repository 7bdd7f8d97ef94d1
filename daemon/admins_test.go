package daemon

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
)

func keyOf(name byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{name}, ed25519.SeedSize))
}

// dial is a user with a key of her own.
func dial(t *testing.T, d *Daemon, key ed25519.PrivateKey) user {
	t.Helper()
	ctx := eventually.Context(t)
	c, err := client.Dial(ctx, d.URL(), client.WithKey(key))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return user{t, c, ctx}
}

// silent is an admin that sends no requests.
var silent = principal.SelfAuthenticating([]byte("silent admin"))

func TestASubnetAdminCreatesCanistersAndListsThemByTheSubnetsURL(t *testing.T) {
	admin := dial(t, started(t, Config{}), keyOf('a')).Sender()
	d := started(t, Config{Admins: []principal.Principal{silent, admin}})
	u, other := dial(t, d, keyOf('a')), dial(t, d, keyOf('o'))
	subnet := d.Subnets()[1].ID

	reply, err := u.CallSubnet(u.ctx, subnet, "create_canister", candidOf(t, struct{}{}))
	if err != nil {
		t.Fatal(err)
	}
	var created struct {
		Canister principal.Principal `ic:"canister_id"`
	}
	if err := candid.Unmarshal(reply, &created); err != nil || created.Canister != d.Subnets()[1].First {
		t.Errorf("created %s (%v), want the first of the subnet, %s", created.Canister, err, d.Subnets()[1].First)
	}

	reply, err = u.QuerySubnet(u.ctx, subnet, "list_canisters", candidOf(t, struct{}{}))
	if err != nil {
		t.Fatal(err)
	}
	type span struct {
		Start principal.Principal `ic:"start"`
		End   principal.Principal `ic:"end"`
	}
	var listed struct {
		Canisters []span `ic:"canisters"`
	}
	if err := candid.Unmarshal(reply, &listed); err != nil || len(listed.Canisters) != 1 || listed.Canisters[0] != (span{created.Canister, created.Canister}) {
		t.Errorf("listed %v (%v), want %s alone", listed.Canisters, err, created.Canister)
	}

	_, err = other.CallSubnet(other.ctx, subnet, "create_canister", candidOf(t, struct{}{}))
	var reject *client.Reject
	if !errors.As(err, &reject) || reject.ErrorCode != "IC0410" || reject.Certified {
		t.Errorf("a user who is no admin is answered %v", err)
	}
	if _, err = other.QuerySubnet(other.ctx, subnet, "list_canisters", candidOf(t, struct{}{})); !errors.As(err, &reject) || reject.ErrorCode != "IC0410" {
		t.Errorf("a user who is no admin lists %v", err)
	}
	if _, err = u.QuerySubnet(u.ctx, d.Subnets()[0].ID, "list_canisters", candidOf(t, struct{}{})); !errors.As(err, &reject) {
		t.Errorf("the root subnet, which has no admins, answers %v", err)
	}
}

func candidOf(t *testing.T, value any) []byte {
	t.Helper()
	encoded, err := candid.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

func TestWhatCannotHaveAdminsSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		want   string
	}{
		"no application subnet": {
			Config{Subnets: []replica.SubnetConfig{{Kind: replica.NNS}}, Admins: []principal.Principal{silent}},
			"no subnet of the network can have admins",
		},
		"too many": {Config{Admins: make([]principal.Principal, replica.MaxSubnetAdmins+1)}, "a subnet has at most 10 admins, got 11"},
	} {
		c.config.Listen, c.config.CacheDir = "127.0.0.1:0", t.TempDir()
		d, err := Start(t.Context(), c.config)
		if err == nil {
			t.Errorf("%s: it starts (%v)", name, d.Close())
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
