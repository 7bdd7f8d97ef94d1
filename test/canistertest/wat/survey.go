package wat

// Index spaces of a module.
const (
	spaceType = iota
	spaceFunction
	spaceTable
	spaceMemory
	spaceGlobal
	spaceTag
	spaceElem
	spaceData
	spaceCount
)

type functionName struct {
	index uint32
	name  string
}

// assembler holds one module under construction. Indices are given in a first
// pass (survey), because the text may use what it defines later.
type assembler struct {
	parser
	options       Options
	moduleName    string
	spaces        [spaceCount]space
	next          [spaceCount]uint32 // the index the next field of that kind gets, in the pass that emits
	sections      [sections]section
	types         []typeDef
	implicit      map[string]uint32 // encoded function type -> first index that has it
	functionNames []functionName
	custom        []customSection
	usesDataCount bool
	defined       bool // something other than an import was defined

	code    []byte // of the expression being assembled
	locals  space
	labels  []string
	nesting int
}

var spaceNouns = [spaceCount]string{"type", "function", "table", "memory", "global", "tag", "element segment", "data segment"}

// definitions maps a field's keyword to the index space it adds to.
var definitions = map[string]int{
	"func": spaceFunction, "table": spaceTable, "memory": spaceMemory, "global": spaceGlobal, "tag": spaceTag,
}

// survey passes all fields and gives out indices and names.
func (a *assembler) survey() {
	for i := range a.spaces {
		a.spaces[i].noun = spaceNouns[i]
	}
	for a.kind() == Open || a.kind() == Annotation {
		start := a.at
		if a.kind() == Open {
			a.surveyField()
		}
		a.at = start
		a.skip()
	}
}

func (a *assembler) surveyField() {
	switch keyword := a.head(a.at); keyword {
	case "type":
		a.bind(spaceType)
	case "rec":
		for a.at += 2; a.form("type"); a.skip() {
			start := a.at
			a.bind(spaceType)
			a.at = start
		}
	case "elem":
		a.bind(spaceElem)
	case "data":
		a.bind(spaceData)
	case "import":
		a.at += 2
		if a.strings(); a.kind() == Open {
			if index, ok := definitions[a.head(a.at)]; ok {
				a.bindFunctionName(index)
			}
		}
	default:
		if index, ok := definitions[keyword]; ok {
			a.surveyDefinition(index)
		}
	}
}

// bind passes "(keyword" and an optional name, which gets the next index.
func (a *assembler) bind(in int) (index uint32, name string) {
	a.at += 2
	at := a.token().Start
	if a.kind() == Name {
		name = a.name()
	}
	return a.spaces[in].bind(name, at), name
}

func (a *assembler) bindFunctionName(in int) {
	index, name := a.bind(in)
	if in == spaceFunction && name != "" {
		a.functionNames = append(a.functionNames, functionName{index, name})
	}
}

// surveyDefinition also counts the segment that an inline (elem …) or (data …) is.
func (a *assembler) surveyDefinition(in int) {
	a.bindFunctionName(in)
	if in != spaceTable && in != spaceMemory {
		return
	}
	for a.kind() != Close {
		switch {
		case a.form("elem"):
			a.spaces[spaceElem].bind("", 0)
		case a.form("data"):
			a.spaces[spaceData].bind("", 0)
		}
		a.skip()
	}
}

// maybeName passes the name of a field, which the survey has bound.
func (a *assembler) maybeName() {
	if a.kind() == Name {
		a.at++
	}
}

func (a *assembler) allot(in int) uint32 {
	a.next[in]++
	return a.next[in] - 1
}
