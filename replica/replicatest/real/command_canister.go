package real

import (
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// canister creates a canister and installs code; nothing is told of it but a
// failure. The words: wide, heartbeat, persistent (variants of the scriptable
// canister), cycles=N, subnet=POSITION, id=ID, empty (no code), and wat, after which a
// module in text format follows in place of a program.
func (p *performer) canister(rest string) {
	p.Listen(nil)
	defer p.attend()
	name, rest := cut(rest)
	variant, balance, position, code, id := canistertest.Variant{}, uint64(Plenty), 0, "", ""
words:
	for {
		word, more := cut(rest)
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "wide":
			variant.Memory64 = true
		case "heartbeat":
			variant.Heartbeat = true
		case "persistent":
			variant.Persistent = true
		case "cycles":
			balance = uint64(p.number(value))
		case "subnet":
			position = p.number(value)
		case "id":
			id = value
		case "empty", "wat":
			code, rest = key, more
			break words
		default:
			break words
		}
		rest = more
	}
	if id != "" {
		p.CreateAt(name, principal.MustParse(id), balance)
	} else {
		p.Create(name, position, balance)
	}
	switch code {
	case "empty":
		return
	case "wat":
		module, err := wat.Assemble(rest)
		if err != nil {
			p.t.Fatalf("module of %s: %v", name, err)
		}
		p.modules[name], rest = module, ""
	default:
		p.modules[name] = variant.Module()
	}
	if a := p.Install(name, Install, p.modules[name], p.program(rest)); a.Status != "replied" {
		p.say("%s", p.shown(a))
	}
}
