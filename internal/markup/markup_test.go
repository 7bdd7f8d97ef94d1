package markup

import (
	"errors"
	"strings"
	"testing"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// full is a writer that takes some writes.
type full struct{ writes int }

var errFull = errors.New("full")

func (f *full) Write(text []byte) (int, error) {
	if f.writes--; f.writes < 0 {
		return 0, errFull
	}
	return len(text), nil
}

func page(made *int) g.Node {
	return Document(
		h.Head(Lines(Viewport(), Style("td { color: red }\n"))),
		h.Body(Lines(h.H1(h.Title(`"<'&`), g.Text("<script>\x00")), nil, h.Table(Heads("a", "<b>"), Each([]string{"1", "<2>"}, func(text *string) g.Node {
			*made++
			return h.Tr(h.Td(g.Text(*text)))
		})))),
	)
}

func TestADocumentHasItsElementsOnLinesAndEscapesTexts(t *testing.T) {
	var out strings.Builder
	made := 0
	p := page(&made)
	if made != 0 {
		t.Errorf("%d rows are made before they are written", made)
	}
	if err := p.Render(&out); err != nil {
		t.Fatal(err)
	}
	const want = `<!doctype html>
<html lang="en">
<head>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
td { color: red }
</style>
</head>
<body>
<h1 title="&#34;&lt;&#39;&amp;">&lt;script&gt;` + "\uFFFD" + `</h1>
<table><tr><th>a</th><th>&lt;b&gt;</th></tr>
<tr><td>1</td></tr>
<tr><td>&lt;2&gt;</td></tr>
</table>
</body>
</html>
`
	if out.String() != want {
		t.Errorf("the document is\n%s\nwant\n%s", &out, want)
	}
}

func TestAWriterThatFailsEndsADocument(t *testing.T) {
	made := 0
	for writes := 0; ; writes++ {
		err := page(&made).Render(&full{writes})
		if err == nil {
			break
		}
		if !errors.Is(err, errFull) || writes > 1000 {
			t.Fatalf("after %d writes: %v", writes, err)
		}
	}
}
