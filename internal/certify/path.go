package certify

import (
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
)

// Label names an entry of a map in the tree: any bytes, ordered as bytes.
type Label string

// Path is the labels from the root to a value or a map, outermost first. The
// empty path is the root.
type Path []Label

// PathOf returns the path with these labels, as a read_state request carries it.
func PathOf(labels [][]byte) Path {
	p := make(Path, len(labels))
	for i, l := range labels {
		p[i] = Label(l)
	}
	return p
}

// LabelOf returns the label a principal has in the tree: its bytes.
func LabelOf(p principal.Principal) Label {
	var raw [principal.MaxLen]byte
	return Label(p.Append(raw[:0]))
}

// String returns the path for messages: labels that are not printable ASCII in hex.
func (p Path) String() string {
	var b strings.Builder
	for _, l := range p {
		b.WriteByte('/')
		b.WriteString(l.String())
	}
	if len(p) == 0 {
		return "/"
	}
	return b.String()
}

// String returns the label if it is printable ASCII, and otherwise 0x and its bytes in hex.
func (l Label) String() string {
	for i := range len(l) {
		if l[i] <= ' ' || l[i] > '~' {
			return "0x" + hexOf(string(l))
		}
	}
	return string(l)
}

func hexOf(s string) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 2*len(s))
	for i := range len(s) {
		out = append(out, digits[s[i]>>4], digits[s[i]&15])
	}
	return string(out)
}

func comparePaths(a, b Path) int {
	for i := range min(len(a), len(b)) {
		if c := strings.Compare(string(a[i]), string(b[i])); c != 0 {
			return c
		}
	}
	return len(a) - len(b)
}
