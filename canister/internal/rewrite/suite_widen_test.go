package rewrite_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/test/canistertest/wast"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// The suite has few 64-bit memories and none under vector instructions. A
// module whose memory is made 64-bit, its addresses extended, does what it did:
// so every script of the suite is one of memory64 too.
func TestTheOfficialSuiteHoldsWithItsMemoriesWidened(t *testing.T) {
	t.Parallel()
	for name, extend := range map[string]string{
		// the pass can see that the address fits 32 bits
		"extended": "(i64.extend_i32_u ",
		// it cannot
		"opaque": "(i64.add (i64.const 0) (i64.extend_i32_u ",
	} {
		t.Run(name, func(t *testing.T) {
			scripts := slices.DeleteFunc(wast.Suite(t), func(path string) bool {
				return filepath.Base(path) == "memory64-imports.wast" // asks that the widths differ
			})
			outcomes, widened := make([]outcome, len(scripts)), make([]int, len(scripts))
			t.Run("scripts", func(t *testing.T) {
				for i, path := range scripts {
					edit := func(c *wast.Command) bool {
						done := widenCommand(c, extend)
						if done {
							widened[i]++
						}
						return done
					}
					startScript(t, path, edit, &outcomes[i])
				}
			})
			total, modules := outcome{}, 0
			for i := range scripts {
				total = total.plus(outcomes[i])
				modules += widened[i]
			}
			t.Logf("%d modules widened; in their scripts %s", modules, total)
		})
	}
}

// widenCommand leaves modules alone that are to be refused: a limit or a type
// may be wrong only where the memory is narrow.
func widenCommand(c *wast.Command, extend string) (done bool) {
	if c.Module == nil || c.Module.Form != wast.Text || c.Kind != wast.Define && c.Kind != wast.AssertTrap {
		return false
	}
	c.Module.Content, done = widen(c.Module.Content, extend)
	return done
}

// operands says which operands of a memory instruction are addresses or sizes
// of the memory, and how many operands it has; ok is false for other words.
func operands(word string) (wide []int, count int, ok bool) {
	switch word {
	case "memory.size":
		return nil, 0, true
	case "memory.grow":
		return []int{0}, 1, true
	case "memory.fill":
		return []int{0, 2}, 3, true
	case "memory.copy":
		return []int{0, 1, 2}, 3, true
	case "memory.init":
		return []int{0}, 3, true
	}
	_, access, _ := strings.Cut(word, ".")
	switch {
	case strings.HasPrefix(access, "store"), strings.HasPrefix(access, "load") && strings.HasSuffix(access, "_lane"):
		return []int{0}, 2, true
	case strings.HasPrefix(access, "load"):
		return []int{0}, 1, true
	}
	return nil, 0, false
}

// widening edits one module's text: insertions by byte offset.
type widening struct {
	text   string
	tokens []wat.Token
	extend string
	insert map[int]string
	made   bool // a memory was widened
	failed bool // something here cannot be widened by editing the text
}

// widen makes a module's memory 64-bit; false, and the text as it was, if it
// has none or uses it in ways that editing cannot follow.
func widen(text, extend string) (string, bool) {
	tokens, err := wat.Scan(text)
	if err != nil {
		return text, false
	}
	w := &widening{text: text, tokens: tokens, extend: extend, insert: map[int]string{}}
	w.form(0, "")
	if w.failed || !w.made {
		return text, false
	}
	var out strings.Builder
	last := 0
	offsets := make([]int, 0, len(w.insert))
	for offset := range w.insert {
		offsets = append(offsets, offset)
	}
	slices.Sort(offsets)
	for _, offset := range offsets {
		out.WriteString(text[last:offset])
		out.WriteString(w.insert[offset])
		last = offset
	}
	out.WriteString(text[last:])
	return out.String(), true
}

func (w *widening) word(i int) string { return w.text[w.tokens[i].Start:w.tokens[i].Stop] }

// form edits the parenthesis at token i and gives the token after it.
func (w *widening) form(i int, parent string) int {
	open, head := i, ""
	if w.tokens[i+1].Kind == wat.Atom {
		head = w.word(i + 1)
	}
	var children [][2]int // first and last token
	limits := -1
	for i++; w.tokens[i].Kind != wat.Close; {
		switch kind := w.tokens[i].Kind; {
		case kind == wat.Open:
			start := i
			i = w.form(i, head)
			children = append(children, [2]int{start, i - 1})
			if head == "memory" && limits < 0 && w.word(start+1) == "data" {
				limits = start
			}
			continue
		case kind == wat.Atom:
			w.atom(i, head, open)
			if head == "memory" && limits < 0 && i > open+1 {
				limits = i
			}
		case kind != wat.Name && kind != wat.Quoted:
			w.failed = true
			return len(w.tokens) - 1
		}
		i++
	}
	w.edit(open, i, head, parent, children, limits)
	return i + 1
}

// atom notices what cannot be widened: memory instructions in flat form, and
// memories that are wide or shared already.
func (w *widening) atom(i int, head string, open int) {
	word := w.word(i)
	if _, _, access := operands(word); access && i > open+1 {
		w.failed = true
	}
	if head == "memory" && (word == "i64" || word == "shared") {
		w.failed = true
	}
}

func (w *widening) edit(open, closing int, head, parent string, children [][2]int, limits int) {
	switch {
	case head == "memory" && (parent == "module" || parent == "import"):
		if limits < 0 {
			w.failed = true
			return
		}
		w.before(limits, " i64 ")
		w.made = true
	case head == "data" && parent == "module":
		w.segment(children)
	default:
		w.instruction(open, closing, head, children)
	}
}

func (w *widening) segment(children [][2]int) {
	for _, c := range children {
		if w.word(c[0]+1) == "offset" {
			c = [2]int{c[0] + 2, c[1] - 1}
		}
		if w.word(c[0]+1) != "i32.const" || c[1] != c[0]+3 {
			w.failed = true
			return
		}
		w.before(c[0], "(i64.const "+w.word(c[0]+2)+") (;")
		w.after(c[1], ";)")
	}
}

func (w *widening) instruction(open, closing int, head string, children [][2]int) {
	wide, count, ok := operands(head)
	if !ok {
		return
	}
	if len(children) != count {
		w.failed = true
		return
	}
	for _, k := range wide {
		w.before(children[k][0], w.extend)
		w.after(children[k][1], strings.Repeat(")", strings.Count(w.extend, "(")-strings.Count(w.extend, ")")))
	}
	if head == "memory.size" || head == "memory.grow" {
		w.before(open, "(i32.wrap_i64 ")
		w.after(closing, ")")
	}
}

// before puts text in front of a token, outside what is there already: inner
// forms are edited first.
func (w *widening) before(token int, text string) {
	at := w.tokens[token].Start
	w.insert[at] = text + w.insert[at]
}

func (w *widening) after(token int, text string) {
	w.insert[w.tokens[token].Stop] += text
}
