package rewrite_test

import (
	"strings"

	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// A cut takes single fields out of a script's module, so that the rest can be
// tested although the Internet Computer has no use for the module as a whole.
type cut struct {
	reason    string
	fragments []string // a field with one of these in its text is taken out
}

// cuts maps "script:line" of a module to what is cut out of it.
var cuts = map[string]cut{
	"br_table.wast:3":        {typedReferences, []string{"(ref null"}},
	"global.wast:3":          {extendedConst, []string{"i32.sub", "i64.sub", "(i32.add (global.get 0)", "(i64.add (global.get 1)", "$z3", "$z4", "$z5", "$z6"}},
	"imports.wast:3":         {exceptions, []string{"(tag"}},
	"imports.wast:35":        {exceptions, []string{"(tag"}},
	"instance.wast:3":        {exceptions + ", " + typedReferences, []string{"tag", "tab"}},
	"instance.wast:15":       {exceptions + ", " + multiMemory, []string{"tag", "tab", "mem"}},
	"instance.wast:62":       {exceptions + ", " + multiMemory, []string{"tag", "tab", "mem"}},
	"instance.wast:109":      {exceptions + ", " + typedReferences, []string{"tag", "tab"}},
	"instance.wast:128":      {exceptions + ", " + multiMemory, []string{"tag", "tab", "mem"}},
	"ref_is_null.wast:1":     {typedReferences, []string{"$t3", "$t)", "$f3"}},
	"unreached-valid.wast:1": {typedReferences, []string{"call_ref"}},
}

// apply blanks the cut fields of "(module …)".
func (c cut) apply(text string) (string, error) {
	tokens, err := wat.Scan(text)
	if err != nil {
		return "", err
	}
	out := []byte(text)
	for depth, start, i := 0, 0, 0; i < len(tokens); i++ {
		switch tokens[i].Kind {
		case wat.Open, wat.Annotation:
			if depth++; depth == 2 {
				start = tokens[i].Start
			}
		case wat.Close:
			if depth--; depth == 1 && c.has(text[start:tokens[i].Stop]) {
				blank(out[start:tokens[i].Stop])
			}
		}
	}
	return string(out), nil
}

func (c cut) has(field string) bool {
	for _, f := range c.fragments {
		if strings.Contains(field, f) {
			return true
		}
	}
	return false
}

func blank(text []byte) {
	for i := range text {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
}
