package component

import (
	"fmt"
	"strings"
	"testing"
)

// A limit admits as many things as it says, and one more is refused with the limit.
func TestEachLimitIsTheLargestNumberThatIsAccepted(t *testing.T) {
	tests := map[string]struct {
		limit int
		build func(n int) string
	}{
		"bytes": {100 << 20, func(n int) string {
			custom := strings.Repeat("x", n-len(componentPreamble)-1-4-2)
			return build(section(sectionCustom, text("n")+custom))
		}},
		"definitions": {3_000_000, func(n int) string {
			types := section(sectionType, repeated(999_999, "\x73"))
			return build(section(sectionComponent, build(types)), section(sectionComponent, build(types)), section(sectionComponent, build(types)),
				section(sectionType, repeated(n-3*999_999, "\x73")))
		}},
		"bytes of definitions": {16 << 20, func(n int) string {
			name := strings.Repeat("a", 99_000)
			var exports []string
			for i := range (n - 1000) / 99_010 {
				exports = append(exports, "\x00"+text(fmt.Sprintf("a%04d%s", i, name))+"\x03\x00\x00")
			}
			all := vector(exports...)
			rest := n - len(all) - len("\x01\x73") - len("\x01\x00\x01a\x03\x00\x00") - 2
			return build(section(sectionType, "\x01\x73"), section(sectionExport, all),
				section(sectionExport, vector("\x00"+text("b"+strings.Repeat("b", rest))+"\x03\x00\x00")))
		}},
		"nested components": {100, func(n int) string {
			c := build()
			for range n - 1 {
				c = build(section(sectionComponent, c))
			}
			return c
		}},
		"nested types": {100, func(n int) string {
			c := "\x41\x00"
			for range n - 2 {
				c = "\x41" + vector("\x01"+c)
			}
			return build(section(sectionType, vector(c)))
		}},
		"modules":    {1_000, func(n int) string { return build(strings.Repeat(section(sectionCoreModule, emptyCore), n)) }},
		"components": {1_000, func(n int) string { return build(strings.Repeat(section(sectionComponent, build()), n)) }},
		"instances":  {1_000, func(n int) string { return build(section(sectionInstance, repeated(n, "\x01\x00"))) }},
		"core instances": {1_000, func(n int) string {
			return build(section(sectionCoreInstance, repeated(n, "\x01\x00")))
		}},
		"types": {1_000_000, func(n int) string {
			return build(section(sectionType, repeated(n-1, "\x73")), section(sectionType, vector("\x73")))
		}},
		"functions": {1_000_000, func(n int) string {
			return build(section(sectionCanon, repeated(n-1, "\x05")), section(sectionCanon, vector("\x05")))
		}},
		"exports": {100_000, func(n int) string {
			exports := numbered(n, func(i int) string { return "\x00" + text(fmt.Sprintf("a%d", i)) + "\x03\x00\x00" })
			return build(section(sectionType, vector("\x73")), section(sectionExport, exports))
		}},
		"arguments": {100_000, func(n int) string {
			args := numbered(n, func(i int) string { return text(fmt.Sprint(i)) + "\x05\x00" })
			return build(section(sectionComponent, build()), section(sectionInstance, vector("\x01\x00", "\x00\x00"+args)))
		}},
		"labels": {10_000, func(n int) string {
			return build(section(sectionType, vector("\x6d"+numbered(n, label))))
		}},
		"parameters": {1_000, func(n int) string {
			params := numbered(n, func(i int) string { return label(i) + "\x7f" })
			return build(section(sectionType, vector("\x40"+params+"\x01\x00")))
		}},
		"flags": {32, func(n int) string { return build(section(sectionType, vector("\x6e"+numbered(n, label)))) }},
		"bytes of a name": {100_000, func(n int) string {
			return build(section(sectionType, vector("\x73")), section(sectionExport, vector("\x00"+text(strings.Repeat("a", n))+"\x03\x00\x00")))
		}},
		"nodes of a type": {1_000_000, func(n int) string {
			// A tuple of 999 enums with 999 cases has 1 + 999 × (1 + 1 + 999) nodes.
			cases := 999 + n - 1_000_000
			tuple := "\x6f" + number(999) + strings.Repeat("\x00", 998) + "\x01"
			return build(section(sectionType, vector("\x6d"+numbered(999, label), "\x6d"+numbered(cases, label), tuple)))
		}},
		"depth of a type": {100, func(n int) string {
			lists := []string{"\x73"}
			for i := range n - 1 {
				lists = append(lists, "\x70"+typeIndex(i))
			}
			return build(section(sectionType, vector(lists...)))
		}},
		"bytes of a value": {1<<28 - 1, func(n int) string { return build(section(sectionType, vector("\x67\x7d"+number(n)))) }},
		"pages of a memory": {65_536, func(n int) string {
			return build(section(sectionCoreType, vector("\x50"+vector("\x03"+text("m")+"\x02\x00"+number(n)))))
		}},
		"elements of a table": {10_000_000, func(n int) string {
			return build(section(sectionCoreType, vector("\x50"+vector("\x03"+text("t")+"\x01\x70\x00"+number(n)))))
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := checkWithoutEngine(test.build(test.limit)); err != nil {
				t.Errorf("%d are refused: %v", test.limit, err)
			}
			err := checkWithoutEngine(test.build(test.limit + 1))
			if err == nil || !strings.Contains(err.Error(), fmt.Sprint(test.limit)) {
				t.Errorf("%d are not refused with the limit: %v", test.limit+1, err)
			}
		})
	}
}

func label(i int) string { return text(fmt.Sprintf("a%d", i)) }

func numbered(n int, item func(i int) string) string {
	var all strings.Builder
	all.WriteString(number(n))
	for i := range n {
		all.WriteString(item(i))
	}
	return all.String()
}

func checkWithoutEngine(binary string) error {
	_, err := check([]byte(binary), func([]byte) error { return nil })
	return err
}

func TestADefinitionHasAtMostTenOptions(t *testing.T) {
	of := func(n int) error {
		return checkWithoutEngine(build(section(sectionCanon, vector("\x01\x00\x00"+repeated(n, "\x06")))))
	}
	if err := of(10); err == nil || strings.Contains(err.Error(), "limit") {
		t.Errorf("10 options: %v, want another fault", err)
	}
	if err := of(11); err == nil || !strings.Contains(err.Error(), "the limit of 10") {
		t.Errorf("11 options: %v, want the limit", err)
	}
}

// Comparing two such types visits each of them in full, and each instantiation compares them.
func TestComparisonsAreRefusedAfterTheLimitOfSteps(t *testing.T) {
	types := []string{"\x6f\x01\x73"}
	for range 15 {
		last := number(len(types) - 1)
		types = append(types, "\x6f\x02"+last+last)
	}
	typeSection := section(sectionType, vector(types...))
	child := build(typeSection, section(sectionImport, vector("\x00"+text("t")+"\x03\x00\x0f")))
	bomb := func(instances int) string {
		return build(typeSection, section(sectionComponent, child),
			section(sectionInstance, repeated(instances, "\x00\x00"+vector(text("t")+"\x03\x0f"))))
	}
	steps := func(instances int) int {
		binary := []byte(bomb(instances))
		component, err := read(binary)
		if err != nil {
			t.Fatal(err)
		}
		v := &validation{data: binary}
		v.component(nil, component)
		return v.steps
	}
	one := steps(2) - steps(1)
	fits := (10_000_000 - steps(0)) / one
	if err := checkWithoutEngine(bomb(fits)); err != nil {
		t.Errorf("%d instances of %d steps: %v", fits, one, err)
	}
	if err := checkWithoutEngine(bomb(fits + 1)); err == nil || !strings.Contains(err.Error(), "the limit of 10000000 steps") {
		t.Errorf("%d instances of %d steps: %v, want the limit", fits+1, one, err)
	}
}

// The reason is longer than a name may be shown.
func TestThePlaceOfAMismatchInNestedTypesIsShown(t *testing.T) {
	const depth = 20
	lists := func(element string) string {
		types := []string{element}
		for i := range depth {
			types = append(types, "\x70"+typeIndex(i))
		}
		return section(sectionType, vector(types...))
	}
	child := build(lists("\x73"), section(sectionImport, vector("\x00"+text("t")+"\x03\x00"+number(depth))))
	err := checkWithoutEngine(build(lists("\x7d"), section(sectionComponent, child), section(sectionInstance, vector("\x00\x00"+vector(text("t")+"\x03"+number(depth))))))
	want := "type mismatch for import `t`: " + strings.Repeat("type mismatch in list: ", depth) + "expected primitive `string` found primitive `u8`"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAFunctionWithMoreThanSixteenFlatParametersNeedsMemory(t *testing.T) {
	lower := func(params, options string, async byte) error {
		function := string([]byte{async}) + params + "\x01\x00"
		return checkWithoutEngine(build(
			section(sectionType, vector(function)),
			section(sectionImport, vector("\x00"+text("f")+"\x01\x00")),
			section(sectionCanon, vector("\x01\x00\x00"+options)),
		))
	}
	params := func(n int) string { return numbered(n, func(i int) string { return label(i) + "\x79" }) }
	for _, test := range []struct {
		name, options string
		async         byte
		limit         int
	}{{"synchronous", "\x00", 0x40, 16}, {"asynchronous", "\x01\x06", 0x43, 4}} {
		if err := lower(params(test.limit), test.options, test.async); err != nil {
			t.Errorf("%s, %d parameters: %v", test.name, test.limit, err)
		}
		if err := lower(params(test.limit+1), test.options, test.async); err == nil || !strings.Contains(err.Error(), "`memory` is required") {
			t.Errorf("%s, %d parameters: %v, want the missing memory", test.name, test.limit+1, err)
		}
	}
}

func TestAThreadHasTwoContextSlots(t *testing.T) {
	get := func(slot int) error {
		return checkWithoutEngine(build(section(sectionCanon, vector("\x0a"+"\x7f"+number(slot)))))
	}
	if err := get(contextSlots - 1); err != nil {
		t.Errorf("slot %d: %v", contextSlots-1, err)
	}
	if err := get(contextSlots); err == nil || !strings.Contains(err.Error(), "slot 2 does not exist") {
		t.Errorf("slot %d: %v", contextSlots, err)
	}
}
