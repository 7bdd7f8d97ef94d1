package wat

// place is where a custom section goes: around a section, or at an end of the
// module.
type place struct {
	first, last bool
	section     byte
	after       bool
}

type customSection struct {
	place
	name, content string
}

var sectionWords = map[string]byte{
	"type": secType, "import": secImport, "func": secFunction, "table": secTable, "memory": secMemory,
	"tag": secTag, "global": secGlobal, "export": secExport, "start": secStart, "elem": secElem,
	"datacount": secDataCount, "code": secCode, "data": secData,
}

// customField is "(@custom "name" (before|after …)? "content"*)"
// (specification, appendix "Custom Sections and Annotations").
func (a *assembler) customField() {
	a.at++
	c := customSection{name: a.utf8(), place: place{last: true}}
	if before := a.form("before"); before || a.form("after") {
		a.at += 2
		c.place = a.place(before)
		a.close()
	}
	c.content = a.strings()
	a.close()
	a.custom = append(a.custom, c)
}

func (a *assembler) place(before bool) place {
	switch {
	case before && a.keyword("first"):
		return place{first: true}
	case !before && a.keyword("last"):
		return place{last: true}
	}
	section, ok := sectionWords[a.word()]
	if !ok {
		a.unexpected("a section")
	}
	a.at++
	return place{section: section, after: !before}
}

func (a *assembler) placeCustom(out []byte, where place) []byte {
	for _, c := range a.custom {
		if c.place == where {
			out = appendSection(out, secCustom, appendString(nil, c.name), []byte(c.content))
		}
	}
	return out
}
