package markup

import (
	"io"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// Document returns an HTML document in English.
func Document(children ...g.Node) g.Node {
	return g.Group{g.Raw("<!doctype html>\n"), h.HTML(h.Lang("en"), Lines(children...)), g.Text("\n")}
}

// Style returns a style element. Browsers read no entities in it, so the style sheet is written as it is: it must be a file
// of ours.
func Style(sheet string) g.Node { return h.StyleEl(g.Raw("\n" + sheet)) }

// Viewport makes telephones show a page in the width of their screen.
func Viewport() g.Node {
	return h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1"))
}

// Heads returns the first row of a table.
func Heads(names ...string) g.Node {
	return h.Tr(g.Map(names, func(name string) g.Node { return h.Th(g.Text(name)) }))
}

// Lines returns nodes, each on a line of its own. Those that are nil are left out.
func Lines(nodes ...g.Node) g.Node {
	return g.NodeFunc(func(w io.Writer) error {
		for _, n := range nodes {
			if n == nil {
				continue
			}
			if err := onLine(w, n); err != nil {
				return err
			}
		}
		return writeLineEnd(w)
	})
}

// Each returns a node for each item, on lines of their own. A node is made when it is written: a table of 100,000 rows
// takes no memory.
func Each[T any](items []T, node func(*T) g.Node) g.Node {
	return g.NodeFunc(func(w io.Writer) error {
		for i := range items {
			if err := onLine(w, node(&items[i])); err != nil {
				return err
			}
		}
		return writeLineEnd(w)
	})
}

func onLine(w io.Writer, n g.Node) error {
	if err := writeLineEnd(w); err != nil {
		return err
	}
	return n.Render(w)
}

func writeLineEnd(w io.Writer) error {
	_, err := io.WriteString(w, "\n")
	return err
}
