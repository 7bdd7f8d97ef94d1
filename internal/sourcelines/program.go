package sourcelines

import "fmt"

// Opcodes of line tables.
const (
	opExtended = iota
	opCopy
	opAdvancePC
	opAdvanceLine
	opSetFile
	opSetColumn
	opNegateStatement
	opBasicBlock
	opConstAddPC
	opFixedAdvancePC

	extendedEnd        = 1
	extendedSetAddress = 2
	extendedDefineFile = 3
)

// step is a row of a line table: its code begins at an address relative to the content of the code section.
type step struct {
	address uint64
	file    uint64 // in the table
	line    int64
}

// machine runs the program of a line table.
type machine struct {
	*table
	step
	sequence []step
	left     int // rows that may come
	// emit gets a sequence, with ascending addresses, and the address after its code.
	emit func(sequence []step, end uint64) error
}

// run runs the program.
func (m *machine) run() error {
	c := &m.program
	for m.reset(); c.left() > 0 && !c.failed; {
		if err := m.next(c); err != nil {
			return err
		}
	}
	if c.failed {
		return m.damaged("a line table ends within an instruction")
	}
	return nil // a sequence without an end has no code
}

func (m *machine) damaged(problem string) error { return damaged(".debug_line", m.at, problem) }

func (m *machine) reset() {
	m.step, m.sequence = step{file: 1, line: 1}, m.sequence[:0]
}

func (m *machine) next(c *cursor) error {
	op := int(c.u8())
	if op >= m.opcodes {
		special := op - m.opcodes
		m.advance(uint64(special / m.lineRange))
		m.line += int64(m.lineBase + special%m.lineRange)
		return m.row()
	}
	switch op {
	case opExtended:
		return m.extended(c)
	case opCopy:
		return m.row()
	case opAdvancePC:
		m.advance(c.uleb())
	case opAdvanceLine:
		m.line += c.sleb()
	case opSetFile:
		m.file = c.uleb()
	case opConstAddPC:
		m.advance(uint64((255 - m.opcodes) / m.lineRange))
	case opFixedAdvancePC:
		m.address += uint64(c.u16())
	default: // nothing that lines need
		for range m.arguments[op-1] {
			c.uleb()
		}
	}
	return nil
}

func (m *machine) advance(operations uint64) { m.address += uint64(m.table.step) * operations }

func (m *machine) row() error {
	if m.left--; m.left < 0 {
		return fmt.Errorf("the section .debug_line has more than %d rows: %s", MaxRows, remedy)
	}
	if n := len(m.sequence); n > 0 && m.address < m.sequence[n-1].address {
		return m.damaged("addresses of a sequence descend")
	}
	m.sequence = append(m.sequence, m.step)
	return nil
}

func (m *machine) extended(c *cursor) error {
	args := c.sub(c.uleb())
	switch args.u8() {
	case extendedEnd:
		if n := len(m.sequence); n > 0 {
			if m.address < m.sequence[n-1].address {
				return m.damaged("addresses of a sequence descend")
			}
			if err := m.emit(m.sequence, m.address); err != nil {
				return err
			}
		}
		m.reset()
	case extendedSetAddress:
		if args.left() == 8 {
			m.address = args.u64()
		} else {
			m.address = uint64(args.u32())
		}
	case extendedDefineFile:
		if !m.define(args.text(), &args) {
			return m.damaged(tooMany("files"))
		}
	}
	if args.failed {
		return m.damaged("a line table has an instruction that is too short")
	}
	return nil
}
