package control_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/golden"
)

// rpcServices are the services, in the order of the pages.
var rpcServices = []string{"Instances", "Canisters", "Calls", "Clock", "Messages", "Events", "Explorer", "Profiler", "Coverage"}

// TestThePagesOfRPCsSayWhatReflectionServes compares docs/grpc*.md with the comments that reflection serves, and with
// the scripts of this folder, which have an example and the errors of each RPC: go test ./api/control -rewrite.
func TestThePagesOfRPCsSayWhatReflectionServes(t *testing.T) {
	const file = "../../docs/grpc.md"
	examples, served := examplesIn(t), reflected(t)
	var index strings.Builder
	for _, name := range rpcServices {
		found, err := served.FindDescriptorByName(protoreflect.FullName("canisterd.control.v1." + name))
		if err != nil {
			t.Fatal(err)
		}
		service := found.(protoreflect.ServiceDescriptor)
		page := &rpcPage{examples: examples}
		page.service(service)
		golden.Compare(t, "../../docs/"+pageOf(name), page.text.String())
		listRPCs(&index, service)
	}
	types := &rpcPage{examples: examples}
	types.types(served)
	golden.Compare(t, "../../docs/"+typesPage, types.text.String())
	introduction, _, found := strings.Cut(golden.Read(t, file), rpcsBegin)
	if !found {
		t.Fatalf("%s has no line %q", file, rpcsBegin)
	}
	golden.Compare(t, file, introduction+rpcsBegin+index.String())
}

// rpcsBegin is the line of the first page before what is made.
const rpcsBegin = "<!-- The rest is made: go test ./api/control -run Page -rewrite -->\n"

// typesPage has the messages that are no request and no reply of an RPC, and the enumerations.
const typesPage = "grpc-types.md"

// pageOf is the page of a service.
func pageOf(service string) string { return "grpc-" + strings.ToLower(service) + ".md" }

// listRPCs writes the RPCs of a service with links to its page.
func listRPCs(index *strings.Builder, s protoreflect.ServiceDescriptor) {
	name := string(s.Name())
	about, _, _ := strings.Cut(comment(s), ". ")
	fmt.Fprintf(index, "\n## %s\n\n%s ([page](%s)):\n\n", name, strings.TrimSuffix(about, "."), pageOf(name))
	for i := range s.Methods().Len() {
		m := s.Methods().Get(i)
		fmt.Fprintf(index, "* [%s](%s#%s%s)\n", m.Name(), pageOf(name), strings.ToLower(name), strings.ToLower(string(m.Name())))
	}
}

// reflected are the files of the control API, as reflection serves them.
func reflected(t *testing.T) *protoregistry.Files {
	t.Helper()
	a := served(t, daemon.Config{})
	stream, err := reflectionv1.NewServerReflectionClient(a.conn).ServerReflectionInfo(a.ctx)
	if err != nil {
		t.Fatal(err)
	}
	set, known := &descriptorpb.FileDescriptorSet{}, map[string]bool{}
	for _, service := range rpcServices {
		request := &reflectionv1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "canisterd.control.v1." + service}
		if err := stream.Send(&reflectionv1.ServerReflectionRequest{MessageRequest: request}); err != nil {
			t.Fatal(err)
		}
		answer, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		for _, bytes := range answer.GetFileDescriptorResponse().GetFileDescriptorProto() {
			file := &descriptorpb.FileDescriptorProto{}
			if err := proto.Unmarshal(bytes, file); err != nil {
				t.Fatal(err)
			}
			if !known[file.GetName()] {
				set.File, known[file.GetName()] = append(set.File, file), true
			}
		}
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// example is a request of a script with its answer.
type example struct{ script, request, answer string }

// scripted is what scripts say of an RPC.
type scripted struct {
	example example
	reasons []string // why it was refused, with the code
}

var (
	// exchange is a request of a script and its answer.
	exchange = regexp.MustCompile(`(?m)^> ([A-Za-z]+) (\{.*\})\n((?:[^>#\n].*\n)+)`)
	refused  = regexp.MustCompile(`(?m)^! [A-Za-z]+ ([A-Z_]+)`)
)

// exampleLines is how many lines of an answer a page shows.
const exampleLines = 12

// examplesIn are the examples in the scripts, by the name of the request.
func examplesIn(t *testing.T) map[string]*scripted {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]string{}
	for _, r := range control.Reasons() {
		codes[r.Name] = protocolName(r.Code)
	}
	all := map[string]*scripted{}
	for _, path := range paths {
		for _, found := range exchange.FindAllStringSubmatch(golden.Read(t, path), -1) {
			name, request, answer := found[1], found[2], found[3]
			of := all[name]
			if of == nil {
				of = &scripted{}
				all[name] = of
			}
			if r := refused.FindStringSubmatch(answer); r != nil {
				if reason := fmt.Sprintf("`%s` (%s)", r[1], codes[r[1]]); !slices.Contains(of.reasons, reason) {
					of.reasons = append(of.reasons, reason)
				}
				continue
			}
			if better(request, of.example.request) {
				of.example = example{filepath.Base(path), request, answer}
			}
		}
	}
	return all
}

// better reports whether a request shows more of an RPC than another, and is not too long for a page.
func better(request, than string) bool {
	const most = 160
	return than == "" || len(than) > most && len(request) < len(than) || len(request) <= most && len(request) > len(than)
}

// rpcPage is a page while it is made.
type rpcPage struct {
	text     strings.Builder
	examples map[string]*scripted
}

// comment is what a .proto file says of something, on one line.
func comment(of protoreflect.Descriptor) string {
	at := of.ParentFile().SourceLocations().ByDescriptor(of)
	text := strings.Join(strings.Fields(at.LeadingComments+" "+at.TrailingComments), " ")
	return strings.ReplaceAll(text, "|", `\|`)
}

func (p *rpcPage) service(s protoreflect.ServiceDescriptor) {
	fmt.Fprintf(&p.text, "# gRPC: %s\n\n%s\n\n[All services](grpc.md), [types](%s), [errors](errors.md).\n", s.Name(), comment(s), typesPage)
	for i := range s.Methods().Len() {
		p.rpc(s.Methods().Get(i))
	}
}

func (p *rpcPage) rpc(m protoreflect.MethodDescriptor) {
	about, errors, _ := strings.Cut(comment(m), "Errors: ")
	fmt.Fprintf(&p.text, "\n## %s.%s\n\n%s\n", m.Parent().Name(), m.Name(), strings.TrimSpace(about))
	p.fields("Request", m.Input(), m.IsStreamingClient())
	p.fields("Reply", m.Output(), m.IsStreamingServer())
	of := p.examples[string(m.Name())]
	if of == nil {
		of = &scripted{}
	}
	if errors != "" {
		fmt.Fprintf(&p.text, "\n**Errors:** %s\n", errors)
	}
	if len(of.reasons) > 0 {
		slices.Sort(of.reasons)
		fmt.Fprintf(&p.text, "\n**[Reasons](errors.md) of refusals:** %s\n", strings.Join(of.reasons, ", "))
	}
	p.example(m, of.example)
}

// example writes a request with grpcurl. Streams of bytes have none in the scripts.
func (p *rpcPage) example(m protoreflect.MethodDescriptor, e example) {
	if e.request == "" {
		return
	}
	data := ""
	if e.request != "{}" {
		data = "-d '" + e.request + "' "
	}
	fmt.Fprintf(&p.text, "\n```sh tested-by=api/control/testdata/%s\ngrpcurl -plaintext %s127.0.0.1:4943 canisterd.control.v1.%s/%s\n```\n", e.script, data, m.Parent().Name(), m.Name())
	lines := strings.SplitAfter(strings.TrimSuffix(e.answer, "\n"), "\n")
	if len(lines) > exampleLines {
		lines = append(lines[:exampleLines], "…")
	}
	fmt.Fprintf(&p.text, "\n```json tested-by=api/control/testdata/%s\n%s\n```\n", e.script, strings.Join(lines, ""))
}

// fields writes a table of the fields of a message.
func (p *rpcPage) fields(title string, m protoreflect.MessageDescriptor, stream bool) {
	if stream {
		title += " (a stream)"
	}
	if m.Fields().Len() == 0 {
		fmt.Fprintf(&p.text, "\n**%s:** no fields.\n", title)
		return
	}
	fmt.Fprintf(&p.text, "\n**%s**\n\n| field | type | meaning |\n|---|---|---|\n", title)
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		meaning := comment(f)
		if one := f.ContainingOneof(); one != nil && !one.IsSynthetic() {
			meaning = strings.TrimSpace(fmt.Sprintf("(one of `%s`) %s", one.Name(), meaning))
		}
		fmt.Fprintf(&p.text, "| `%s` | %s | %s |\n", f.JSONName(), typeOf(f), meaning)
	}
}

// typeOf is the type of a field, with a link where the page has it.
func typeOf(f protoreflect.FieldDescriptor) string {
	name := f.Kind().String()
	switch {
	case f.IsMap():
		return fmt.Sprintf("map of %s to %s", typeOf(f.MapKey()), typeOf(f.MapValue()))
	case f.Message() != nil:
		name = typeName(f.Message())
	case f.Enum() != nil:
		name = typeName(f.Enum())
	}
	if f.IsList() {
		return "list of " + name
	}
	return name
}

func typeName(d protoreflect.Descriptor) string {
	if !strings.HasPrefix(string(d.FullName()), "canisterd.") {
		return string(d.Name())
	}
	return fmt.Sprintf("[%s](%s#%s)", d.Name(), typesPage, strings.ToLower(string(d.Name())))
}

// types writes the messages that are no request and no reply of an RPC, and the enumerations.
func (p *rpcPage) types(files *protoregistry.Files) {
	var messages []protoreflect.MessageDescriptor
	var enums []protoreflect.EnumDescriptor
	onServicePages := map[protoreflect.FullName]bool{}
	files.RangeFilesByPackage("canisterd.control.v1", func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			methods := file.Services().Get(i).Methods()
			for j := range methods.Len() {
				onServicePages[methods.Get(j).Input().FullName()], onServicePages[methods.Get(j).Output().FullName()] = true, true
			}
		}
		return true
	})
	referred := map[protoreflect.FullName]bool{}
	files.RangeFilesByPackage("canisterd.control.v1", func(file protoreflect.FileDescriptor) bool {
		for i := range file.Messages().Len() {
			fields := file.Messages().Get(i).Fields()
			for j := range fields.Len() {
				if m := fields.Get(j).Message(); m != nil {
					referred[m.FullName()] = true
				}
			}
		}
		return true
	})
	files.RangeFilesByPackage("canisterd.control.v1", func(file protoreflect.FileDescriptor) bool {
		for i := range file.Enums().Len() {
			enums = append(enums, file.Enums().Get(i))
		}
		for i := range file.Messages().Len() {
			if m := file.Messages().Get(i); !onServicePages[m.FullName()] || referred[m.FullName()] {
				messages = append(messages, m)
			}
		}
		return true
	})
	slices.SortFunc(messages, func(a, b protoreflect.MessageDescriptor) int { return cmp.Compare(a.Name(), b.Name()) })
	slices.SortFunc(enums, func(a, b protoreflect.EnumDescriptor) int { return cmp.Compare(a.Name(), b.Name()) })
	p.text.WriteString("# gRPC: types\n\nThe messages and enumerations in requests and replies of [all services](grpc.md).\n\n## Messages\n")
	for _, m := range messages {
		fmt.Fprintf(&p.text, "\n### %s\n\n%s\n", m.Name(), comment(m))
		p.fields("Fields", m, false)
	}
	p.text.WriteString("\n## Enumerations\n")
	for _, e := range enums {
		fmt.Fprintf(&p.text, "\n### %s\n\n%s\n\n| value | meaning |\n|---|---|\n", e.Name(), comment(e))
		for i := range e.Values().Len() {
			fmt.Fprintf(&p.text, "| `%s` | %s |\n", e.Values().Get(i).Name(), comment(e.Values().Get(i)))
		}
	}
}
