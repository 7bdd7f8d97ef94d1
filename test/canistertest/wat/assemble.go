package wat

import "strings"

// Options say how a text is assembled. The zero value is what Assemble does.
type Options struct {
	OmitNames bool     // leave out the name section
	Origin    Position // where the text begins in the file that errors speak of
}

// Assemble gives the binary of one module: "(module …)", also in its binary
// and quote forms, or a bare list of fields. Function names go into the name
// section. The error is an *Error. (WebAssembly specification 3.0, "Text Format".)
func Assemble(text string) ([]byte, error) { return Options{}.Assemble(text) }

// MustAssemble is Assemble for texts that are part of the program.
func MustAssemble(text string) []byte {
	binary, err := Assemble(text)
	if err != nil {
		panic("wat: " + err.Error())
	}
	return binary
}

// Assemble is the package's Assemble under these options.
func (o Options) Assemble(text string) (binary []byte, err error) {
	defer catch(text, o.Origin, &err)
	a := &assembler{parser: parser{text: text, tokens: scan(text)}, options: o}
	return a.module(), nil
}

func (a *assembler) module() []byte {
	wrapped := a.enter("module")
	if wrapped {
		if a.kind() == Name {
			a.moduleName = a.name()
		}
		switch {
		case a.keyword("definition"):
			if a.kind() == Name {
				a.moduleName = a.name()
			}
		case a.keyword("binary"):
			binary := a.strings()
			a.finish(wrapped)
			return []byte(binary)
		case a.keyword("quote"):
			return a.quoted(wrapped)
		}
	}
	start := a.at
	a.survey()
	a.finish(wrapped)
	a.at = start
	a.defineTypes()
	a.at = start
	for a.kind() == Open || a.kind() == Annotation {
		a.field()
	}
	return a.binary()
}

func (a *assembler) quoted(wrapped bool) []byte {
	at := a.token().Start
	text := a.strings()
	a.finish(wrapped)
	binary, err := Options{OmitNames: a.options.OmitNames}.Assemble(text)
	if err != nil {
		fail(at, "in the quoted module: %v", err)
	}
	return binary
}

func (a *assembler) finish(wrapped bool) {
	if wrapped {
		a.close()
	}
	if a.kind() != End {
		a.unexpected("the end of the module")
	}
}

// strings joins all string tokens up to the next other token.
func (p *parser) strings() string {
	var out strings.Builder
	for p.kind() == Quoted {
		out.WriteString(p.string())
	}
	return out.String()
}
