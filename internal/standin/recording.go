package standin

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
)

// Version is the version of the file of a recording. Files of other versions are refused.
const Version = 1

// Recording is what a network replied to queries of a canister.
type Recording struct {
	Canister principal.Principal
	// From is the network as the user names it: ic, a URL or an instance.
	From string
	// Network identifies the network: the same address may be another one later.
	Network string
	// Interface is the Candid interface of the canister; "": it is not public.
	Interface string
	// Replies are ordered as they were recorded. No two have the same method and argument.
	Replies []Reply
}

// Reply is the answer to a query of a method with an argument.
type Reply struct {
	Method   string
	Argument []byte
	Reply    []byte // nil: Reject
	Reject   string // text of a reject by the canister
}

// Find returns the reply for a method and an argument, nil if none was recorded.
func (r *Recording) Find(method string, argument []byte) *Reply {
	i := slices.IndexFunc(r.Replies, func(other Reply) bool { return other.Method == method && bytes.Equal(other.Argument, argument) })
	if i < 0 {
		return nil
	}
	return &r.Replies[i]
}

// Add adds a reply, in place of the one with the same method and argument.
func (r *Recording) Add(reply Reply) {
	if known := r.Find(reply.Method, reply.Argument); known != nil {
		*known = reply
		return
	}
	r.Replies = append(r.Replies, reply)
}

// methods returns the methods of the interface; none: it is not known.
func (r *Recording) methods() ([]did.Method, error) {
	if r.Interface == "" {
		return nil, nil
	}
	f, err := did.Parse(r.Interface)
	if err != nil {
		return nil, fmt.Errorf("the interface of the stand-in for %s: %w", r.Canister, err)
	}
	return f.Methods(), nil
}

// IsQuery reports whether a method can be queried.
func IsQuery(m did.Method) bool { return m.Annotation&(candid.Query|candid.CompositeQuery) != 0 }

// file is the form of a recording in YAML.
type file struct {
	Version  int    `yaml:"version"`
	Canister string `yaml:"canister"`
	From     string `yaml:"from"`
	Network  string `yaml:"network,omitempty"`
	// Certified is always false: a reply to a query has the signature of one node and no certificate.
	Certified bool        `yaml:"certified"`
	Interface string      `yaml:"interface,omitempty"`
	Replies   []fileReply `yaml:"replies"`
}

// fileReply is the form of a reply. Argument and reply are Candid text, which begins with a parenthesis, if the types of
// the interface give the same bytes again; else they are in hex.
type fileReply struct {
	Method   string  `yaml:"method"`
	Argument string  `yaml:"argument"`
	Reply    *string `yaml:"reply,omitempty"`
	Reject   string  `yaml:"reject,omitempty"`
}

// Write returns the text of the file of a recording.
func Write(r *Recording) ([]byte, error) {
	methods, err := r.methods()
	if err != nil {
		return nil, err
	}
	f := &file{Version: Version, Canister: r.Canister.String(), From: r.From, Network: r.Network, Interface: r.Interface, Replies: []fileReply{}}
	for i := range r.Replies {
		f.Replies = append(f.Replies, *r.Replies[i].file(methods))
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(f), e.Close()); err != nil {
		return nil, fmt.Errorf("writing the stand-in for %s: %w", r.Canister, err)
	}
	if out.Len() > MaxFileBytes {
		return nil, fmt.Errorf("the stand-in for %s would have %d bytes, and the limit is %d: record fewer or shorter replies", r.Canister, out.Len(), MaxFileBytes)
	}
	return out.Bytes(), nil
}

func (r *Reply) file(methods []did.Method) *fileReply {
	args, results := types(methods, r.Method)
	f := &fileReply{Method: r.Method, Argument: written(r.Argument, args), Reject: r.Reject}
	if r.Reply != nil {
		text := written(r.Reply, results)
		f.Reply = &text
	}
	return f
}

// types returns the types of the arguments and the results of a method; nil: they are not known.
func types(methods []did.Method, name string) (args, results []*candid.Type) {
	for _, m := range methods {
		if m.Name == name {
			return did.Types(m.Args), did.Types(m.Results)
		}
	}
	return nil, nil
}

// written returns a message as text.
func written(message []byte, as []*candid.Type) string {
	if as != nil {
		if values, err := candid.DecodeTypes(message, as); err == nil {
			text := candid.FormatArgs(values)
			if again, err := encode(text, as); err == nil && bytes.Equal(again, message) {
				return text
			}
		}
	}
	return hex.EncodeToString(message)
}

// read returns the message of a text.
func read(text string, as []*candid.Type) ([]byte, error) {
	if !strings.HasPrefix(text, "(") {
		message, err := hex.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("%q is neither Candid text, which begins with a parenthesis, nor hex", text)
		}
		return message, nil
	}
	if as == nil {
		return nil, fmt.Errorf("%s is Candid text, and the interface does not have the method: write it in hex, or add the interface", text)
	}
	return encode(text, as)
}

func encode(text string, as []*candid.Type) ([]byte, error) {
	values, err := candid.ParseArgsAt(text, as)
	if err != nil {
		return nil, err
	}
	return candid.Encode(values, as)
}

// ofYAML removes what errors of the YAML library say about Go.
var ofYAML = strings.NewReplacer("yaml: ", "", "unmarshal errors:\n  ", "", " in type standin.fileReply", "", " in type standin.file", "")

// Read parses the file of a recording. The error says what violates the format.
func Read(text []byte) (*Recording, error) {
	var f file
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("invalid stand-in: %s", ofYAML.Replace(err.Error()))
	}
	switch {
	case f.Version != Version:
		return nil, fmt.Errorf("invalid stand-in: its version is %d, and this program reads version %d: record it again (canisterd clone record)", f.Version, Version)
	case f.Certified:
		return nil, errors.New("invalid stand-in: certified is true, and replies to queries have no certificate: set it to false")
	case len(f.Replies) > MaxReplies:
		return nil, fmt.Errorf("invalid stand-in: it has %d replies, and the limit is %d", len(f.Replies), MaxReplies)
	}
	id, err := principal.Parse(f.Canister)
	if err != nil {
		return nil, fmt.Errorf("invalid stand-in: canister: %w", err)
	}
	r := &Recording{Canister: id, From: f.From, Network: f.Network, Interface: f.Interface}
	methods, err := r.methods()
	if err != nil {
		return nil, err
	}
	for i := range f.Replies {
		reply, err := f.Replies[i].read(methods)
		if err != nil {
			return nil, fmt.Errorf("invalid stand-in: reply %d: %w", i+1, err)
		}
		r.Add(*reply)
	}
	return r, nil
}

func (f *fileReply) read(methods []did.Method) (*Reply, error) {
	if f.Method == "" {
		return nil, errors.New("method is missing")
	}
	if (f.Reply == nil) == (f.Reject == "") {
		return nil, fmt.Errorf("%s: expected either reply or reject", f.Method)
	}
	for _, m := range methods {
		if m.Name == f.Method && !IsQuery(m) {
			return nil, fmt.Errorf("%s is an update method: a stand-in only has replies to queries", f.Method)
		}
	}
	args, results := types(methods, f.Method)
	r := &Reply{Method: f.Method, Reject: f.Reject}
	var err error
	if r.Argument, err = read(f.Argument, args); err != nil {
		return nil, fmt.Errorf("%s: argument: %w", f.Method, err)
	}
	if f.Reply == nil {
		return r, nil
	}
	if r.Reply, err = read(*f.Reply, results); err != nil {
		return nil, fmt.Errorf("%s: reply: %w", f.Method, err)
	}
	if r.Reply == nil {
		r.Reply = []byte{}
	}
	return r, nil
}
