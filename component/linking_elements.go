package component

// elementTypes are types of elements of streams and futures. Of those that are the same type, one stands for all.
type elementTypes struct {
	compared *comparison
	chosen   map[*valueType]*valueType
	distinct []*valueType
}

func newElementTypes() *elementTypes {
	return &elementTypes{compared: (&scope{validation: &validation{}}).compare(0), chosen: map[*valueType]*valueType{}}
}

// of gives the type that stands for t.
func (e *elementTypes) of(t *valueType) Type {
	if t == nil {
		return Type{}
	}
	chosen, ok := e.chosen[t]
	if !ok {
		chosen = e.choose(t)
		e.chosen[t] = chosen
	}
	return Type{chosen}
}

func (e *elementTypes) choose(t *valueType) *valueType {
	for _, other := range e.distinct {
		if e.compared.types(t, other) == "" {
			return other
		}
	}
	e.distinct = append(e.distinct, t)
	return t
}
