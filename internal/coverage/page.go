package coverage

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// The classes of lines and functions in the page.
const (
	kindRan  = "ran"
	kindPart = "part"
	kindNot  = "not"
)

// page is what the page shows.
type page struct {
	Canisters []pageCanister
	Files     []pageFile
	Totals    Totals
}

type pageCanister struct {
	ID, Label string
	Totals
	HasLines      bool
	LeftOut, More int
	Called        []pageCalled
}

type pageCalled struct {
	Called
	Link, Class string
}

type pageFile struct {
	ID, Name, Note   string
	Functions, Lines Ratio
	Text             []pageLine // if the source is at hand
	Ranges           []pageRange
}

type pageLine struct {
	ID, Kind, Sign, Text string
	Number               int
	Blocks               Ratio
}

type pageRange struct{ Kind, Sign, Text string }

// WritePage writes an HTML page without scripts that needs no other file. It has the text of sources that
// [Options.Source] returns, up to [MaxPageSourceBytes]; of others it lists the numbers of lines. The error is the
// writer's.
func (s *Summary) WritePage(w io.Writer) error {
	p := page{Totals: s.Totals}
	linked := map[string]string{}
	left := MaxPageSourceBytes
	for i := range s.Files {
		if s.Files[i].Module {
			continue // its functions are listed below its canister
		}
		f := s.pageFile(&s.Files[i], fmt.Sprintf("f%d", i), &left)
		if f.Text != nil {
			linked[f.Name] = f.ID
		}
		p.Files = append(p.Files, f)
	}
	for i := range s.Canisters {
		p.Canisters = append(p.Canisters, s.Canisters[i].page(fmt.Sprintf("c%d", i), linked))
	}
	return p.document().Render(w)
}

// page makes the part of the page about a canister. linked has the ids of files whose text is shown.
func (c *Canister) page(id string, linked map[string]string) pageCanister {
	p := pageCanister{ID: id, Label: c.Label, Totals: c.Totals, HasLines: c.HasLines, LeftOut: c.LeftOut}
	for i := range c.Functions {
		if i == MaxPageFunctions {
			p.More = len(c.Functions) - i
			break
		}
		f := pageCalled{Called: c.Functions[i]}
		f.Class, _ = kind(f.Blocks)
		if id := linked[f.File]; id != "" {
			f.Link = fmt.Sprintf("%sL%d", id, f.Line)
		}
		p.Called = append(p.Called, f)
	}
	return p
}

// pageFile makes the part of the page about a file. left is how many bytes of sources the page may still have.
func (s *Summary) pageFile(f *File, id string, left *int) pageFile {
	p := pageFile{ID: id, Name: f.Name, Functions: f.Called(), Lines: f.Covered()}
	var text []byte
	ok := false
	if s.options.Source != nil {
		text, ok = s.options.Source(f.name)
	}
	lines := strings.Split(strings.TrimSuffix(string(text[:min(len(text), MaxPageSourceBytes)]), "\n"), "\n")
	switch {
	case !ok:
		p.Note = "The source is not at hand: these are the numbers of lines."
	case len(text) > *left:
		p.Note = fmt.Sprintf("The page has %d MiB of sources already: these are the numbers of lines.", MaxPageSourceBytes>>20)
	case f.Lines[len(f.Lines)-1].Number > len(lines):
		p.Note = fmt.Sprintf("The source at hand has %d lines, fewer than the module's: it is of another version. These are the numbers of lines.", len(lines))
	default:
		*left -= len(text)
		p.Text = marked(id, lines, f.Lines)
		return p
	}
	p.Ranges = ranges(f.Lines)
	return p
}

// marked returns the lines of a source with their marks.
func marked(id string, lines []string, marks []Mark) []pageLine {
	out := make([]pageLine, len(lines))
	for i, text := range lines {
		out[i] = pageLine{Number: i + 1, Text: visible(strings.TrimSuffix(text, "\r"))}
	}
	for _, m := range marks {
		l := &out[m.Number-1]
		l.ID, l.Blocks = fmt.Sprintf("%sL%d", id, m.Number), m.Blocks
		l.Kind, l.Sign = kind(m.Blocks)
	}
	return out
}

// kind is the class of what ran, and a sign for it.
func kind(r Ratio) (class, sign string) {
	switch {
	case r.Ran == 0:
		return kindNot, "✗"
	case r.Ran < r.Total:
		return kindPart, "~"
	}
	return kindRan, "✓"
}

// ranges lists the numbers of lines that ran, ran in part, and did not run. Lines without code do not interrupt a range.
func ranges(marks []Mark) (out []pageRange) {
	for _, class := range []string{kindRan, kindPart, kindNot} {
		var text []string
		var sign string
		for i := 0; i < len(marks); i++ {
			c, s := kind(marks[i].Blocks)
			if c != class {
				continue
			}
			sign = s
			first, last := marks[i].Number, marks[i].Number
			for ; i+1 < len(marks); i++ {
				if next, _ := kind(marks[i+1].Blocks); next != class {
					break
				}
				last = marks[i+1].Number
			}
			if first == last {
				text = append(text, strconv.Itoa(first))
			} else {
				text = append(text, fmt.Sprintf("%d–%d", first, last))
			}
		}
		if text != nil {
			out = append(out, pageRange{class, sign, strings.Join(text, ", ")})
		}
	}
	return out
}

// visible returns a line of a source in which nothing is hidden: control characters and changes of the writing direction
// become escapes.
func visible(line string) string {
	if strings.IndexFunc(line, hidden) < 0 {
		return strings.ToValidUTF8(line, "\ufffd")
	}
	var out strings.Builder
	for _, r := range line {
		if hidden(r) {
			out.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func hidden(r rune) bool { return r != '\t' && !unicode.IsGraphic(r) }
