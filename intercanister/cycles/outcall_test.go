package cycles

import "testing"

// The figures are those that dfinity publishes for ic0.cost_http_request_v2 on 13 nodes.
func TestPayAsYouGoPricesAreTheQuotedOnes(t *testing.T) {
	s := Application(13)
	small := Usage{Milliseconds: 2_000, Raw: 1_000, Transformed: 2_000, Instructions: 26}
	for _, c := range []struct {
		name      string
		request   uint64
		usage     Usage
		committee Committee
		want      string
	}{
		{"nothing declared", 200, Usage{60_000, 4_000, 5_024, 5_000_000_000}, Committee{}, "5344015469"},
		{"time and instructions declared", 200, Usage{300, 4_000, 5_024, 1_000_000}, Committee{}, "112185476"},
		{"all declared", 200, Usage{300, 2_000, 2_000, 1_000_000}, Committee{}, "69433156"},
		{"fully replicated", 100, small, Committee{}, "74348183"},
		{"a response shorter than a reject", 100, Usage{2_000, 1_000, 100, 26}, Committee{}, "60983104"},
		{"one node", 100, small, Committee{Replication: NonReplicated}, "50843002"},
		{"a committee", 100, small, Committee{Flexible, 3, 2, 3}, "101132076"},
		{"a committee of which fewer responses are wanted", 100, small, Committee{Flexible, 3, 2, 2}, "101132076"},
		{"responses that nothing waits for", 100, small, Committee{Flexible, 3, 0, 0}, "34125006"},
		{"a committee of no nodes", 100, small, Committee{Flexible, 0, 0, 0}, "28275000"},
	} {
		if got := s.OutcallPrice(c.request, c.usage, c.committee).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if free := (&Schedule{Nodes: 13, Reference: 13}).OutcallPrice(100, small, DefaultCommittee(13)); !free.IsZero() {
		t.Errorf("a free subnet takes %s", free)
	}
	if got := DefaultCommittee(13); got != (Committee{Flexible, 13, 9, 13}) {
		t.Errorf("the default committee is %+v", got)
	}
}

func TestAPriceThatDoesNotFitIsTheLargestAmount(t *testing.T) {
	s := Application(13)
	most := ^uint64(0)
	u := Usage{most, most, most, most}
	for _, c := range []Committee{{}, {Replication: NonReplicated}, {Flexible, ^uint32(0), 0, ^uint32(0)}} {
		if s.OutcallPrice(most, u, c).Less(Of(most)) {
			t.Errorf("%+v: the price wraps", c)
		}
	}
}

func TestAnAllowanceIsAnEqualPartOfTheUsage(t *testing.T) {
	for _, nodes := range []uint64{1, 4, 7, 13, 34, 40} {
		s := Application(nodes)
		for total := uint32(1); uint64(total) <= nodes; total++ {
			c := Committee{Flexible, total, 1, total}
			usage := s.OutcallUsage(Usage{Milliseconds: 7, Raw: 11, Transformed: 3_333, Instructions: 17}, c)
			if usage.Div(uint64(total)).Mul(uint64(total)) != usage {
				t.Errorf("%d of %d nodes: %s does not divide", total, nodes, usage)
			}
		}
	}
}
