package canister

import (
	"strconv"
	"testing"
)

func TestACoverageCountsTheCallsToAThousandMethods(t *testing.T) {
	c := &covered{calls: map[string]*CoveredCall{}}
	for n := range 1_000 {
		c.call(strconv.Itoa(n)).Replied++
	}
	for _, name := range []string{"0", "999"} {
		if got := c.call(name); got.Method != name || got.Replied != 1 {
			t.Errorf("the calls to method %s are %+v", name, got)
		}
	}
	if one, other := c.call("1000"), c.call("1001"); one.Method != "(other methods)" || one != other {
		t.Errorf("the methods after them have %+v and %+v", one, other)
	}
}
