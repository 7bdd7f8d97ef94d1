package real

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/test/canistertest"
)

// prober creates a canister of package canistertest's prober. The words: wide, hooked,
// subnet=POSITION, id=ID, cycles=N; what follows is the program of its canister_init.
func (p *performer) prober(rest string) {
	p.Listen(nil)
	defer p.Listen(p)
	name, rest := cut(rest)
	wide, module, balance, position, id := false, canistertest.Prober, uint64(Plenty), 0, ""
	for rest != "" {
		word, more := cut(rest)
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "wide":
			wide = true
		case "hooked":
			module = canistertest.HookedProber
		case "cycles":
			balance = uint64(p.number(value))
		case "subnet":
			position = p.number(value)
		case "id":
			id = value
		}
		if key != "wide" && key != "hooked" && key != "cycles" && key != "subnet" && key != "id" {
			break
		}
		rest = more
	}
	if id != "" {
		at, err := principal.Parse(id)
		if err != nil {
			p.t.Fatal(err)
		}
		p.CreateAt(name, at, balance)
	} else {
		p.Create(name, position, balance)
	}
	p.modules[name] = module(wide)
	program := p.probe(rest)
	if a := p.Install(name, Install, p.modules[name], program.Bytes()); a.Status != "replied" {
		p.say("%s", p.shown(a))
	}
}

// api has probers call functions of the System API in one update message, and tells what each
// call gave:
//
//	api NAMES FUNCTION ARGUMENTS; FUNCTION ARGUMENTS …
//
// An argument is a number, a text in quotes or $NAME, the id of a canister or what api-arg or arg gave the name: the
// last two are two arguments, address and length. So are closures (command_hooks.go). show ADDRESS SIZE tells bytes of
// the heap. Of several probers (NAME,NAME) those that say the same say it once.
func (p *performer) api(rest string) {
	p.probed(rest, func(name string, program *canistertest.Probe) []string {
		a := p.Call(name, "run", program.Bytes())
		if a.Status != "replied" {
			return []string{p.shown(a)}
		}
		return program.Said(a.Reply, readable)
	})
}

// apiMute is api for programs that answer themselves; after "LABEL:" the message is only handed in.
func (p *performer) apiMute(rest string) {
	p.probed(rest, func(name string, program *canistertest.Probe) []string {
		if p.label != "" {
			p.answered(p.Submit(name, "mute", program.Bytes()))
			return nil
		}
		return []string{p.shown(p.Call(name, "mute", program.Bytes()))}
	})
}

// apiQuery is api in a query.
func (p *performer) apiQuery(rest string) {
	p.probed(rest, func(name string, program *canistertest.Probe) []string {
		r := p.Query(name, "ask", program.Bytes())
		if r.Reject != nil || r.Refusal != nil {
			return []string{shownQuery(r)}
		}
		return program.Said(r.Reply, readable)
	})
}

// probed lets probers do something with a program and tells what comes out.
func (p *performer) probed(rest string, do func(name string, program *canistertest.Probe) []string) {
	if !p.recording.On {
		p.Listen(nil)
		defer p.Listen(p)
	}
	names, text := cut(rest)
	said := make(map[string]string)
	var order []string
	for _, name := range strings.Split(names, ",") {
		lines := strings.Join(do(name, p.probe(text)), "\n")
		lines = strings.ReplaceAll(lines, p.ID(name).String(), "SELF")
		if _, known := said[lines]; !known {
			order = append(order, lines)
		}
		said[lines] += name + " "
	}
	for _, lines := range order {
		if len(order) > 1 {
			p.say("%s:", strings.TrimSpace(said[lines]))
		}
		if lines != "" {
			p.say("%s", lines)
		}
	}
}

// apiSaid tells the output of the last program that ran without answering, including canister_init.
func (p *performer) apiSaid(rest string) {
	p.probed(rest, func(name string, program *canistertest.Probe) []string {
		return program.Said(p.Query(name, "said", nil).Reply, readable)
	})
}

// probe reads a program.
func (p *performer) probe(text string) *canistertest.Probe {
	p.t.Helper()
	program := new(canistertest.Probe)
	text = p.closures(text)
	for _, line := range strings.Split(text, ";") {
		line = strings.Join(strings.Fields(line), " ")
		name, rest := cut(line)
		if name == "" {
			continue
		}
		var words []canistertest.Word
		for rest != "" {
			var w canistertest.Word
			var err error
			if w, rest, err = p.argument(rest); err != nil {
				p.t.Fatalf("%s: %v", line, err)
			}
			words = append(words, w)
		}
		if err := program.Call(name, line, words...); err != nil {
			p.t.Fatalf("%s: %v", line, err)
		}
	}
	return program
}

// argument reads the first argument of a call and gives what follows.
func (p *performer) argument(text string) (w canistertest.Word, rest string, err error) {
	if strings.HasPrefix(text, `"`) {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return w, "", fmt.Errorf("a text without an end: %w", err)
		}
		bytes, err := strconv.Unquote(quoted)
		return canistertest.Word{Bytes: []byte(bytes), Blob: true}, strings.TrimSpace(text[len(quoted):]), err
	}
	word, rest := cut(text)
	if name, ok := strings.CutPrefix(word, "$"); ok {
		return canistertest.Word{Bytes: p.ID(name).Bytes(), Blob: true}, rest, nil
	}
	if digits, ok := strings.CutPrefix(word, "0x"); ok && len(digits) > 16 { // what an argument's name stands for
		bytes, err := hex.DecodeString(digits)
		return canistertest.Word{Bytes: bytes, Blob: true}, rest, err
	}
	if n, err := strconv.ParseInt(word, 0, 64); err == nil {
		return canistertest.Word{Number: uint64(n)}, rest, nil
	}
	n, err := strconv.ParseUint(word, 0, 64)
	return canistertest.Word{Number: n}, rest, err
}
