package real

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
)

// interfacePath is the management canister's interface, relative to the folder of package replica, where scripts run.
var interfacePath = filepath.Join("internal", "management", "testdata", "ic.did")

var (
	mention = regexp.MustCompile(`"@(\w+)"`)
	filling = regexp.MustCompile(`\$(\w+)`)
	long    = regexp.MustCompile(`%(\d+)(?:\*([^%]*))?%`)
	word    = regexp.MustCompile(`[a-zA-Z_]\w*`)
	digits  = regexp.MustCompile(`\b[0-9][0-9_]+\b`)
)

// managementInterface returns the management canister's interface.
func (p *performer) managementInterface() string {
	p.t.Helper()
	text, err := os.ReadFile(interfacePath)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// labelled returns Candid text with the names of the management canister's interface in place of their hashes.
func (p *performer) labelled(text string) string {
	names := make(map[string]string)
	for _, name := range word.FindAllString(p.managementInterface(), -1) {
		names[strconv.FormatUint(uint64(candid.Hash(name)), 10)] = name
	}
	return digits.ReplaceAllStringFunc(text, func(number string) string {
		if name, ok := names[strings.ReplaceAll(number, "_", "")]; ok {
			return name
		}
		return number
	})
}

// arg names an argument of a method of the management canister. %9% is nine letters, %9*text% nine times the text.
func (p *performer) arg(rest string) {
	name, rest := cut(rest)
	method, values := cut(rest)
	p.args[name] = "0x" + hex.EncodeToString(p.managementArg(method, values))
}

// candid names an argument of no particular method: values in Candid text, with the types that the text gives.
func (p *performer) candid(rest string) {
	name, text := cut(rest)
	values, err := candid.ParseArgs(text)
	if err != nil {
		p.t.Fatalf("candid %s: %v", name, err)
	}
	raw, err := candid.EncodeValues(values...)
	if err != nil {
		p.t.Fatalf("candid %s: %v", name, err)
	}
	p.args[name] = "0x" + hex.EncodeToString(raw)
}

// managementArg returns an argument of a method of the management canister: values of its
// type in Candid text.
func (p *performer) managementArg(method, values string) []byte {
	p.t.Helper()
	values = snapshotMention.ReplaceAllStringFunc(values, p.snapshotID)
	values = mention.ReplaceAllStringFunc(values, func(found string) string {
		return `"` + p.ID(found[2:len(found)-1]).String() + `"`
	})
	values = long.ReplaceAllStringFunc(values, func(found string) string {
		parts := long.FindStringSubmatch(found)
		if parts[2] == "" {
			parts[2] = "x"
		}
		return strings.Repeat(parts[2], p.number(parts[1]))
	})
	file, err := did.Parse(p.managementInterface())
	if err != nil {
		p.t.Fatal(err)
	}
	declared, ok := file.Method(method)
	if !ok {
		p.t.Fatalf("the management canister has no method %q", method)
	}
	types := make([]*candid.Type, len(declared.Args))
	for i := range declared.Args {
		types[i] = declared.Args[i].Type
	}
	args, err := candid.ParseArgsAt(values, types)
	if err != nil {
		p.t.Fatalf("argument of %s: %v", method, err)
	}
	encoded, err := candid.Encode(args, types)
	if err != nil {
		p.t.Fatalf("argument of %s: %v", method, err)
	}
	return encoded
}

// filled replaces the names of arguments in a command by the arguments.
func (p *performer) filled(text string) string {
	return filling.ReplaceAllStringFunc(text, func(found string) string {
		if known, ok := p.args[found[1:]]; ok {
			return known
		}
		return found
	})
}
