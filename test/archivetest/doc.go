// Package archivetest supports tests of checkpoints with a store of pages in memory.
package archivetest
