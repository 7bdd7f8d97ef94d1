package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/canisterd/canisterd/internal/profile"
)

// speedscopeSchema is the format of the file.
const speedscopeSchema = "https://www.speedscope.app/file-format-schema.json"

// Speedscope writes the file that www.speedscope.app opens: a profile of instructions and, if there are any, one of
// cycles and one of bytes of stable memory. The file of a frame is its canister. A title is shown above. The error is
// that of the writer.
func Speedscope(w io.Writer, p *profile.Profile, names Names, title string) error {
	p = shallow(unnumbered(p), func(int32) int { return 1 }, MaxFrames)
	out := &speedscopeFile{of: p}
	fmt.Fprintf(out, "{\"$schema\":%s,\"exporter\":\"canisterd\",\"name\":%s,\"activeProfileIndex\":0,\n", quoted(speedscopeSchema), quoted(printable(title)))
	out.frames(names)
	out.WriteString("\"profiles\":[\n")
	out.profile("instructions", "none", func(w *profile.Weights) uint64 { return w.Instructions })
	out.profile("cycles", "none", func(w *profile.Weights) uint64 { return w.Cycles })
	out.profile("stable memory", "bytes", func(w *profile.Weights) uint64 { return w.StableBytes })
	out.WriteString("\n]}\n")
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write speedscope file: %w", err)
	}
	return nil
}

// speedscopeFile is a file in the making. The frame of a symbol has its index.
type speedscopeFile struct {
	bytes.Buffer
	of       *profile.Profile
	profiles int
}

func (f *speedscopeFile) frames(names Names) {
	f.WriteString("\"shared\":{\"frames\":[")
	for i := range f.of.Symbols {
		s := &f.of.Symbols[i]
		label, canister := unplaced, ""
		if i > 0 {
			label, canister = names.frame(s).label(), names.of(s.Canister)
			f.WriteByte(',')
		}
		fmt.Fprintf(f, "\n{\"name\":%s", quoted(label))
		if canister != "" {
			fmt.Fprintf(f, ",\"file\":%s", quoted(canister))
		}
		f.WriteByte('}')
	}
	f.WriteString("\n]},\n")
}

// profile writes one profile. It leaves out those without weight, except the first.
func (f *speedscopeFile) profile(name, unit string, of func(*profile.Weights) uint64) {
	sum := uint64(0)
	for i := range f.of.Nodes {
		sum += of(&f.of.Nodes[i].Weights)
	}
	if sum == 0 && f.profiles > 0 {
		return
	}
	if f.profiles++; f.profiles > 1 {
		f.WriteString(",\n")
	}
	fmt.Fprintf(f, "{\"type\":\"sampled\",\"name\":%s,\"unit\":%s,\"startValue\":0,\"endValue\":%d,\"samples\":[", quoted(name), quoted(unit), sum)
	var weights []uint64
	var stack []int32
	for i := range f.of.Nodes {
		weight := of(&f.of.Nodes[i].Weights)
		if weight == 0 {
			continue
		}
		if len(weights) > 0 {
			f.WriteByte(',')
		}
		weights = append(weights, weight)
		stack = path(f.of, int32(i), stack)
		if i == int(profile.Root) {
			stack = append(stack, 0)
		}
		f.list(len(stack), func(at int) uint64 { return uint64(stack[at]) })
	}
	f.WriteString("\n],\"weights\":")
	f.list(len(weights), func(at int) uint64 { return weights[at] })
	f.WriteByte('}')
}

// list writes numbers on a line.
func (f *speedscopeFile) list(n int, of func(at int) uint64) {
	f.WriteString("\n[")
	for i := range n {
		if i > 0 {
			f.WriteByte(',')
		}
		f.Write(strconv.AppendUint(f.AvailableBuffer(), of(i), 10))
	}
	f.WriteByte(']')
}

// quoted returns a text as JSON.
func quoted(text string) []byte {
	line, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Errorf("export: encode a string: %w", err))
	}
	return line
}
