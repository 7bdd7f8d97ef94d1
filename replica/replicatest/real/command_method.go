package real

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
)

// methodCall is what the words of do, ask and from say: a method of the management
// canister, the canister it is about, and fields in Candid.
type methodCall struct {
	method    string
	target    string // "-" for none
	arg       []byte
	cycles    string // attached, by canisters
	position  int    // of the subnet; used without a target
	bySubnet  bool   // the URL names it
	born      string // what the canister in the reply is called from now on
	composite bool
	show      []string // fields of the reply, all if there are none
}

// user switches to another sender. The first is called user.
func (p *performer) user(rest string) {
	p.User = principal.SelfAuthenticating([]byte(rest))
	p.Names[rest] = p.User
}

// method reads OPTIONS METHOD TARGET [FIELDS]. Fields that begin with a bracket are
// the whole argument; $NAME in them is the id of a canister or a user.
func (p *performer) method(rest string) methodCall {
	c := methodCall{cycles: "0"}
	for {
		word, more := cut(rest)
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "cycles":
			c.cycles = value
		case "subnet":
			c.position = p.number(value)
		case "at-subnet":
			c.position, c.bySubnet = p.number(value), true
		case "new":
			c.born = value
		case "show":
			c.show = strings.Split(value, "+")
		case "composite":
			c.composite = true
		default:
			c.method = word
			var fields string
			c.target, fields = cut(more)
			c.arg = p.fitted(&c, fields)
			return c
		}
		rest = more
	}
}

func (p *performer) fitted(c *methodCall, fields string) []byte {
	p.t.Helper()
	if digits, ok := strings.CutPrefix(fields, "0x"); ok {
		raw, err := hex.DecodeString(digits)
		if err != nil {
			p.t.Fatal(err)
		}
		return raw
	}
	all := slices.SortedFunc(maps.Keys(p.Names), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for _, name := range all {
		fields = strings.ReplaceAll(fields, "$"+name, fmt.Sprintf("principal %q", p.Names[name]))
	}
	if !strings.HasPrefix(fields, "(") {
		about := ""
		if c.target != "-" && !strings.Contains(fields, "target_canister") && !strings.Contains(fields, "canister_id") {
			about = fmt.Sprintf("canister_id = principal %q; ", p.ID(c.target))
		}
		fields = "(record { " + about + fields + " })"
	}
	return p.fields.arguments(p.Stage, c.method, fields)
}

// effective returns the canister id of the URL.
func (p *performer) effective(c *methodCall) principal.Principal {
	if c.target == "-" {
		return principal.Canister(replicatest.First(c.position))
	}
	return p.ID(c.target)
}

// do calls a method as a user, and says the reply in Candid.
func (p *performer) do(rest string) {
	c := p.method(rest)
	in := p.Ingress(principal.Management, p.effective(&c), c.method, c.arg)
	if c.bySubnet {
		in.BySubnet, in.Subnet, in.Effective = true, p.View().Subnets[c.position].ID, principal.Principal{}
	}
	id, refused := p.submit(in)
	switch {
	case refused != "":
		p.say("%s", printable(refused))
	case p.label != "":
		p.labels[p.label] = id
	default:
		p.reply(&c, p.Await(id))
	}
}

func (p *performer) reply(c *methodCall, a Answer) {
	if a.Status == "replied" {
		p.bear(c, a.Reply)
		p.say("replied: %s", p.shownReply(c, a.Reply))
		return
	}
	p.say("%s", printable(a.String()))
}

// shownReply returns a reply in Candid: all of it, or the fields to be shown.
func (p *performer) shownReply(c *methodCall, reply []byte) string {
	if c.show != nil {
		return printable(p.fields.chosen(reply, c.show))
	}
	return printable(p.fields.text(reply))
}

// bear names the canister in a reply.
func (p *performer) bear(c *methodCall, reply []byte) {
	var created struct {
		Canister principal.Principal `ic:"canister_id"`
	}
	if c.born != "" && candid.Unmarshal(reply, &created) == nil {
		p.Names[c.born] = created.Canister
	}
}

// ask queries a query method as a user.
func (p *performer) ask(rest string) {
	c := p.method(rest)
	q := &replica.Query{Sender: p.User, Receiver: principal.Management, Effective: p.effective(&c), Method: c.method, Arg: c.arg}
	if c.bySubnet {
		q.BySubnet, q.Subnet, q.Effective = true, p.View().Subnets[c.position].ID, principal.Principal{}
	}
	switch r := p.PrepareQuery(q).Run(); {
	case r.Refusal != nil:
		p.say("refused %s: %s", r.Refusal.Kind, printable(r.Refusal.Text))
	case r.Reject != nil:
		p.say("%s", printable(r.Reject.String()))
	default:
		p.say("replied: %s", p.shownReply(&c, r.Reply))
	}
}

// from makes a scriptable canister call a method, from an update or, with the word composite, from a composite query,
// and prints the answer: the reply or the reject, and in updates the refunded cycles.
func (p *performer) from(rest string) {
	name, rest := cut(rest)
	c := p.method(rest)
	program := fmt.Sprintf(`call @aaaaa-aa.%s(0x%x) `, c.method, c.arg)
	if c.composite {
		r := p.Query(name, "ask", p.program(program+`on-reply(reply "+" + arg) on-reject(reply "-" + reject-code + reject-message)`))
		if r.Reply == nil {
			p.say("%s", shownQuery(r))
			return
		}
		p.heard(&c, r.Reply)
		return
	}
	if c.cycles != "0" {
		program += "cycles " + c.cycles + " "
	}
	program += `on-reply(reply "+" + refunded + arg) on-reject(reply "-" + refunded + reject-code + reject-message)`
	id, refused := p.Submit(name, "run", p.program(program))
	if refused != "" {
		p.say("%s", printable(refused))
		return
	}
	if p.label != "" {
		p.labels[p.label] = id
		return
	}
	a := p.Await(id)
	if a.Status != "replied" {
		p.say("%s", printable(a.String()))
		return
	}
	p.heard(&c, a.Reply)
}

// heard prints the reply of the program of from.
func (p *performer) heard(c *methodCall, raw []byte) {
	p.t.Helper()
	refund := ""
	rest := raw[1:]
	if !c.composite {
		refund = ", " + cycles.Amount{Lo: binary.LittleEndian.Uint64(rest), Hi: binary.LittleEndian.Uint64(rest[8:])}.String() + " cycles back"
		rest = rest[16:]
	}
	if raw[0] == '+' {
		p.bear(c, rest)
		p.say("replied: %s%s", p.shownReply(c, rest), refund)
		return
	}
	p.say("rejected %d: %s%s", rest[0], printable(string(rest[8:])), refund)
}
