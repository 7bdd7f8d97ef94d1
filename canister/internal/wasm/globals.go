package wasm

import (
	"fmt"
	"reflect"

	"github.com/tetratelabs/wazero/api"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

const valueTypeV128 = 0x7b

// GlobalValue is the committed or current value of a mutable global: only Low except for v128.
type GlobalValue struct {
	Index     uint32 // in the original module
	Type      byte   // value type of the binary format
	Low, High uint64
}

// globalLayout says where the words of each mutable global are in a saved state.
type globalLayout struct {
	globals []rewrite.Global
	words   int
}

func newGlobalLayout(globals []rewrite.Global) globalLayout {
	l := globalLayout{globals: globals}
	for _, g := range globals {
		l.words += wordsOf(g.Type)
	}
	return l
}

func wordsOf(valueType byte) int {
	if valueType == valueTypeV128 {
		return 2
	}
	return 1
}

func (l globalLayout) values(words []uint64) []GlobalValue {
	values := make([]GlobalValue, 0, len(l.globals))
	for _, g := range l.globals {
		v := GlobalValue{Index: g.Index, Type: g.Type, Low: words[0]}
		if wordsOf(g.Type) == 2 {
			v.High = words[1]
		}
		words = words[wordsOf(g.Type):]
		values = append(values, v)
	}
	return values
}

// saved returns the words of a state whose globals have these values; missing ones are zero.
func (l globalLayout) saved(values []GlobalValue) []uint64 {
	words, at := make([]uint64, l.words), 0
	for _, g := range l.globals {
		for _, v := range values {
			if v.Index != g.Index {
				continue
			}
			words[at] = v.Low
			if wordsOf(g.Type) == 2 {
				words[at+1] = v.High
			}
		}
		at += wordsOf(g.Type)
	}
	return words
}

// wideGlobal is a global of two words.
type wideGlobal interface {
	Value() (low, high uint64)
	SetValue(low, high uint64)
}

// globalCell is a mutable global of an instance; wide is set for v128.
type globalCell struct {
	narrow api.MutableGlobal
	wide   wideGlobal
}

func (l globalLayout) cells(instance api.Module) ([]globalCell, error) {
	cells := make([]globalCell, 0, len(l.globals))
	for _, g := range l.globals {
		exported, ok := instance.ExportedGlobal(g.Export).(api.MutableGlobal)
		if !ok {
			return nil, fmt.Errorf("mutable global %d is not exported as %q", g.Index, g.Export)
		}
		c := globalCell{narrow: exported}
		if wordsOf(g.Type) == 2 {
			if c.wide = wideOf(exported); c.wide == nil {
				return nil, fmt.Errorf("v128 global %d cannot be saved with this engine", g.Index)
			}
		}
		cells = append(cells, c)
	}
	return cells, nil
}

// wideOf finds the two-word form behind an exported global: the engine's public form has the low word only.
func wideOf(g api.MutableGlobal) wideGlobal {
	v := reflect.ValueOf(g)
	if v.Kind() != reflect.Struct {
		return nil
	}
	f := v.FieldByName("g")
	if f.Kind() != reflect.Pointer || f.IsNil() {
		return nil
	}
	wide, _ := reflect.NewAt(f.Type().Elem(), f.UnsafePointer()).Interface().(wideGlobal)
	return wide
}

func readGlobals(cells []globalCell, words []uint64) {
	i := 0
	for _, c := range cells {
		if c.wide != nil {
			words[i], words[i+1] = c.wide.Value()
			i += 2
			continue
		}
		words[i] = c.narrow.Get()
		i++
	}
}

func writeGlobals(cells []globalCell, words []uint64) {
	i := 0
	for _, c := range cells {
		if c.wide != nil {
			c.wide.SetValue(words[i], words[i+1])
			i += 2
			continue
		}
		c.narrow.Set(words[i])
		i++
	}
}
