// Package archivetest is support for tests of checkpoints: a store of pages in memory.
package archivetest
