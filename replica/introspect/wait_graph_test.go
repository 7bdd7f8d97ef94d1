package introspect

import (
	"testing"

	"pgregory.net/rapid"
)

func TestCirclesAreWhereOneComesBackToWhereOneBegan(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const nodes = 8
		edges := rapid.SliceOf(rapid.Custom(func(t *rapid.T) [2]int {
			return [2]int{rapid.IntRange(0, nodes-1).Draw(t, "from"), rapid.IntRange(0, nodes-1).Draw(t, "to")}
		})).Draw(rt, "edges")
		var reaches [nodes][nodes]bool
		for _, e := range edges {
			reaches[e[0]][e[1]] = true
		}
		for k := range nodes {
			for i := range nodes {
				for j := range nodes {
					reaches[i][j] = reaches[i][j] || reaches[i][k] && reaches[k][j]
				}
			}
		}
		cycles := cyclesOf(edges)
		for i := range nodes {
			if (cycles[i] != 0) != reaches[i][i] {
				rt.Fatalf("node %d of %v: cycle %d", i, edges, cycles[i])
			}
			for j := range nodes {
				if same := cycles[i] != 0 && cycles[i] == cycles[j]; i != j && same != (reaches[i][j] && reaches[j][i]) {
					rt.Fatalf("nodes %d and %d of %v: cycles %d and %d", i, j, edges, cycles[i], cycles[j])
				}
			}
		}
	})
}

// cyclesOf numbers the cycles of a graph.
func cyclesOf(edges [][2]int) map[int]int {
	g := newGraph[int]()
	for _, e := range edges {
		g.edge(e[0], e[1])
	}
	return g.cycles()
}
