//go:build race

package collector

// memoryLimit is smaller under the race detector, which takes several times as much memory for itself.
const memoryLimit = 256 << 20
