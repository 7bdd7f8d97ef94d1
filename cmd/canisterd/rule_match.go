package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/candid/reference"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// calleeOfResponse says whose callee a rule for responses names.
const calleeOfResponse = "the callee of a response is the canister that answers, the caller the one that gets it"

// noteMatch notes why no message can match a rule, as far as the canisters of the network say so.
func (c *cli) noteMatch(ctx context.Context, d *remote.Daemon, rule *controlv1.Rule) error {
	if c.json {
		return nil
	}
	m := rule.GetMatch()
	why, err := c.neverMatches(ctx, d, m, rule.GetAnswer() != nil)
	if err != nil || why == "" {
		return err
	}
	if m.GetKind() == controlv1.MessageKind_MESSAGE_KIND_RESPONSE {
		why += "; " + calleeOfResponse
	}
	c.note("note: no message seems to match this rule: %s", why)
	return nil
}

// neverMatches returns why no message matches, "" if one may. The callee of a rule that answers in its place may be missing.
func (c *cli) neverMatches(ctx context.Context, d *remote.Daemon, m *controlv1.Match, answers bool) (string, error) {
	if m.GetKind() != controlv1.MessageKind_MESSAGE_KIND_INGRESS && m.GetCaller() != "" {
		found, err := c.existing(ctx, d, m.GetCaller())
		if err != nil {
			return "", err
		}
		if found == nil {
			return fmt.Sprintf("the caller %s is no canister of this instance (--kind ingress is for messages of users)", m.GetCaller()), nil
		}
	}
	if m.GetCallee() == "" || m.GetCallee() == principal.Management.String() {
		return "", nil
	}
	found, err := c.existing(ctx, d, m.GetCallee())
	switch {
	case err != nil, answers && len(found.GetModuleHash()) == 0:
		return "", err
	case found == nil:
		return fmt.Sprintf("the callee %s is no canister of this instance", m.GetCallee()), nil
	}
	return c.lacksMethod(found, m.GetMethod()), nil
}

// existing returns a canister, nil if the instance has none with this id.
func (c *cli) existing(ctx context.Context, d *remote.Daemon, id string) (*controlv1.Canister, error) {
	got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: c.instance, CanisterId: id})
	if remote.Code(err) == codes.NotFound {
		return nil, nil //nolint:nilnil // there is no canister
	}
	return got.GetCanister(), err
}

// lacksMethod says that a canister has no method that a rule's pattern matches, "" if it has one.
func (c *cli) lacksMethod(found *controlv1.Canister, pattern string) string {
	name := c.nameOf(found.GetCanisterId())
	if len(found.GetModuleHash()) == 0 {
		return name + " has no code yet"
	}
	if pattern == "" {
		return ""
	}
	called := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, "(?s:.*)") + "$")
	var methods []string
	for _, m := range found.GetMethods() {
		if called.MatchString(m.GetName()) {
			return ""
		}
		methods = append(methods, m.GetName())
	}
	return fmt.Sprintf("%s has no method %s%s", name, oneLine(pattern), reference.Meant(pattern, methods))
}
