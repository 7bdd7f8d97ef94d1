package component

// ErrorContext is a value of the type error-context. Its message is for people: a host may change it, and the one of the
// deterministic profile is empty.
type ErrorContext struct{ Message string }

func (*ErrorContext) kindName() string { return "error context" }

// errorContextFunction makes a built-in function of error contexts.
func (s *instanceState) errorContextFunction(d canonDef) asyncFunction {
	options := s.options(d.options)
	switch d.kind {
	case canonErrorContextNew:
		return func([]uint64) uint64 { return uint64(s.handles.add(&ErrorContext{})) }
	case canonErrorContextMessage:
		return func(args []uint64) uint64 {
			e := tableItem[*ErrorContext](s, uint32(args[0]))
			a := options.abi
			a.checkRange(uint32(args[1]), 4, 8, "string")
			a.storePair(uint32(args[1]), 0, 0)
			pointer, units := a.storeText(e.Message)
			a.storePair(uint32(args[1]), pointer, units)
			return 0
		}
	case canonErrorContextDrop:
		return func(args []uint64) uint64 {
			tableItem[*ErrorContext](s, uint32(args[0]))
			s.handles.remove(uint32(args[0]))
			return 0
		}
	}
	return nil
}
