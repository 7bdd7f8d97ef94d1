package rewrite_test

import (
	"fmt"
	"strings"
)

// drawing makes the twins' text: what it draws is decided by the bytes of
// script.
type drawing struct {
	script   []byte
	callable int // functions $f0 … that exist already
	loops    int // loops around the place at hand
}

// twin is one piece of program, for the wide and for the narrow module.
type twin struct{ wide, narrow string }

func same(format string, args ...any) twin {
	text := fmt.Sprintf(format, args...)
	return twin{text, text}
}

func (a twin) then(b twin) twin { return twin{a.wide + "\n" + b.wide, a.narrow + "\n" + b.narrow} }

// form is "(head part…)".
func form(head string, parts ...twin) twin {
	out := twin{"(" + head, "(" + head}
	for _, p := range parts {
		out.wide += " " + p.wide
		out.narrow += " " + p.narrow
	}
	out.wide += ")"
	out.narrow += ")"
	return out
}

// access is a load or store: the narrow twin's address goes through $at.
func (d *drawing) access(operator string, address twin, rest ...twin) twin {
	offset := [...]uint64{0, 0, 4, 8, 100, 65535, 1 << 20, 0xffff_fff0, 1 << 32, 1<<64 - 8}[d.draw(10)%(1+d.draw(10))]
	out := twin{
		fmt.Sprintf("(%s offset=%d %s", operator, offset, address.wide),
		fmt.Sprintf("(%s (call $at %s (i64.const %d))", operator, address.narrow, int64(offset)),
	}
	for _, r := range rest {
		out.wide += " " + r.wide
		out.narrow += " " + r.narrow
	}
	return twin{out.wide + ")", out.narrow + ")"}
}

// plain is an address or a size without an offset.
func plain(t twin) twin { return twin{t.wide, "(call $at " + t.narrow + " (i64.const 0))"} }

// address is mostly one that fits, and often a local that was one before.
func (d *drawing) address(depth int) twin {
	switch d.draw(10) {
	case 0:
		return d.wide(depth)
	case 1, 2, 3:
		return same("(local.get $p%d)", d.draw(2))
	case 4:
		return form("i64.extend_i32_u", form("i32.and", d.small(depth), same("(i32.const 0x3fff)")))
	case 5:
		return form(fmt.Sprintf("local.tee $p%d", d.draw(2)), form("i64.and", d.wide(depth), same("(i64.const 0x7fff)")))
	case 6:
		return form("i64.add", same("(i64.and (local.get $p%d) (i64.const 0xfff))", d.draw(4)), same("(i64.const %d)", d.draw(256)))
	case 7:
		operator := [...]string{"or", "xor", "rem_u", "div_u", "shr_u", "and"}[d.draw(6)]
		return form("i64."+operator, d.fitting(), d.fitting())
	}
	return form("i64.and", d.wide(depth), same("(i64.const 0xfff8)"))
}

// fitting is a value whose lower half, at least, is a good address.
func (d *drawing) fitting() twin {
	switch d.draw(4) {
	case 0:
		return same("(i64.and (local.get $p%d) (i64.const 0xff))", d.draw(4))
	case 1:
		return same("(local.get $p%d)", d.draw(4))
	}
	return same("(i64.const %d)", [...]int64{1, 8, 1<<32 | 8, 5<<32 | 16, 0x7ff0, 3}[d.draw(6)])
}

// wide is an i64 expression.
func (d *drawing) wide(depth int) twin {
	if depth <= 0 || len(d.script) == 0 {
		if d.draw(3) == 0 {
			return same("(i64.const %d)", [...]int64{0, 1, 8, 65535, 65536, 0xffff_ffff, 1 << 32, -1, -8, -1 << 63}[d.draw(10)])
		}
		return same("(local.get $p%d)", d.draw(4))
	}
	e := func() twin { return d.wide(depth - 1) }
	switch d.draw(16) {
	case 0, 1:
		operator := [...]string{"add", "sub", "and", "or", "xor", "shr_u", "mul", "shl", "rotl"}[d.draw(9)]
		return form("i64."+operator, e(), e())
	case 2:
		return form("i64.rem_u", e(), same("(i64.const %d)", 1+d.draw(255)))
	case 3:
		return form("i64.extend_i32_u", d.small(depth-1))
	case 4, 5:
		return d.access("i64."+[...]string{"load", "load8_u", "load16_s", "load32_u"}[d.draw(4)], d.address(depth-1))
	case 6:
		return form(fmt.Sprintf("local.tee $p%d", d.draw(4)), d.address(depth-1))
	case 7:
		return same("(global.get $g)")
	case 8:
		return twin{"(memory.size)", "(i64.extend_i32_u (memory.size))"}
	case 9:
		n := form("i64.and", e(), same("(i64.const %d)", [...]int64{1, 3, -1}[d.draw(3)]))
		return twin{"(memory.grow " + n.wide + ")", "(call $grow " + n.narrow + ")"}
	case 10:
		if d.callable > 0 {
			return form(fmt.Sprintf("call $f%d", d.draw(d.callable)), e(), e())
		}
		return e()
	case 11:
		return form("block (result i64)", form("br_if 0", e(), d.small(depth-1)))
	case 12:
		return form("if (result i64)", d.small(depth-1), form("then", d.statements(1), e()), form("else", d.statements(1), e()))
	case 13:
		return form("select", e(), e(), d.small(depth-1))
	case 14:
		return form("block (result i64)", e(), form("block (param i64) (result i64)", same("(i64.const %d) (i64.add)", d.draw(64)), d.statements(1)))
	}
	return same("(i64.const %d)", int64(d.draw64()))
}

// small is an i32 expression.
func (d *drawing) small(depth int) twin {
	if depth <= 0 || len(d.script) == 0 {
		return same("(local.get $c%d)", d.draw(2))
	}
	switch d.draw(7) {
	case 0:
		return same("(i32.const %d)", d.draw(256)-8)
	case 1:
		return form("i32.add", d.small(depth-1), d.small(depth-1))
	case 2:
		return form("i32.wrap_i64", d.wide(depth-1))
	case 3:
		return form("i64."+[...]string{"lt_u", "gt_s", "eq"}[d.draw(3)], d.wide(depth-1), d.wide(depth-1))
	case 4:
		return form("i64.eqz", d.wide(depth-1))
	case 5:
		return d.access("i32."+[...]string{"load", "load8_s", "load16_u"}[d.draw(3)], d.address(depth-1))
	}
	return form(fmt.Sprintf("local.tee $c%d", d.draw(2)), d.small(depth-1))
}

func (d *drawing) statements(n int) twin {
	var out twin
	for range n {
		if len(d.script) == 0 {
			break
		}
		out = out.then(d.statement())
	}
	return out
}

func (d *drawing) statement() twin {
	switch d.draw(14) {
	case 0, 1, 2:
		return form(fmt.Sprintf("local.set $p%d", d.draw(4)), d.address(2))
	case 3:
		return form(fmt.Sprintf("local.set $c%d", d.draw(2)), d.small(2))
	case 4, 5, 6:
		return d.access("i64."+[...]string{"store", "store8", "store16", "store32"}[d.draw(4)], d.address(2), d.wide(2))
	case 7:
		return d.access("v128.store", d.address(2), d.access("v128.load32_splat", d.address(1)))
	case 8:
		return form("if", d.small(2), form("then", d.statements(2)), form("else", d.statements(2)))
	case 9:
		return d.loop()
	case 10:
		return form("block", d.statements(1), form("br_if 0", d.small(1)), d.statements(2),
			form("block", form("br_table 0 1 0", d.small(1))), d.statements(1))
	case 11:
		return form("global.set $g", d.wide(2))
	case 12:
		return d.bulk()
	}
	return form("if", d.small(1), form("then", form("return", d.wide(1))))
}

func (d *drawing) bulk() twin {
	count := form("i64.and", d.wide(1), same("(i64.const 0x%x)", 0xff))
	if d.draw(4) == 0 {
		count = d.wide(1)
	}
	to, value, from := d.address(1), d.small(1), d.address(1)
	if d.draw(2) == 0 {
		return form("memory.fill", plain(to), value, plain(count))
	}
	return form("memory.copy", plain(to), plain(from), plain(count))
}

// loop runs its statements up to four times.
func (d *drawing) loop() twin {
	if d.loops >= 3 {
		return same("(nop)")
	}
	counter, times := fmt.Sprintf("$n%d", d.loops), 1+d.draw(4)
	d.loops++
	body := d.statements(3)
	d.loops--
	again := strings.ReplaceAll("(br_if 0 (local.tee N (i32.sub (local.get N) (i32.const 1))))", "N", counter)
	return same("(local.set %s (i32.const %d))", counter, times).then(form("loop", body, same("%s", again)))
}
