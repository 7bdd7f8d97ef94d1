package wasmfile

// trap is a body of a function of any type: no local variables, and unreachable.
const trap = "\x00\x00\x0b"

// Skeleton returns a module that has everything of another one except its code: each function traps. The custom section
// that it gets in addition tells it from the skeletons of modules that differ only in their code.
func Skeleton(binary []byte, section string, content []byte) []byte {
	r, out := NewReader(binary), []byte(nil)
	out = AppendRaw(out, r.Bytes(len(Header)))
	for !r.Done() {
		id, rest := r.Byte(), r.Block()
		if id == SectionCode {
			functions := NewReader(rest).U32()
			rest = AppendU32(nil, functions)
			for range functions {
				rest = AppendBlock(rest, trap)
			}
		}
		out = AppendSection(out, id, rest)
	}
	return AppendSection(out, SectionCustom, AppendRaw(AppendBlock(nil, section), content))
}
