package coverage

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteLCOV writes the files of all canisters as an lcov tracefile, as geninfo(1) describes it. Counts are 1 for what
// ran and 0 for what did not. It has no branches. A module without lines is a file NAME.wasm in which lines are
// functions: DA has their indices. The error is the writer's.
func (s *Summary) WriteLCOV(w io.Writer) error {
	out := bufio.NewWriter(w)
	for i := range s.Files {
		f := &s.Files[i]
		fmt.Fprintf(out, "TN:\nSF:%s\n", f.Name)
		for _, b := range f.Functions {
			fmt.Fprintf(out, "FN:%d,%s\n", b.Line, lcovName(b.Name))
		}
		for _, b := range f.Functions {
			fmt.Fprintf(out, "FNDA:%d,%s\n", hit(b.Ran), lcovName(b.Name))
		}
		called, covered := f.Called(), f.Covered()
		fmt.Fprintf(out, "FNF:%d\nFNH:%d\n", called.Total, called.Ran)
		for _, m := range f.Lines {
			fmt.Fprintf(out, "DA:%d,%d\n", m.Number, hit(m.Blocks.Ran > 0))
		}
		fmt.Fprintf(out, "LF:%d\nLH:%d\nend_of_record\n", covered.Total, covered.Ran)
	}
	return out.Flush()
}

// lcovName returns a name that cannot be taken for the number of a last line, which newer versions have before it.
func lcovName(name string) string {
	if before, _, ok := strings.Cut(name, ","); ok && strings.Trim(before, "0123456789") == "" {
		return "_" + name
	}
	return name
}

// hit is the count for what ran or did not.
func hit(ran bool) int {
	if ran {
		return 1
	}
	return 0
}
