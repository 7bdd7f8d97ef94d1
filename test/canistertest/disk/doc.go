// Package disk is support for tests of what happens without room on the disk: a limit on the size of files stands
// for it.
//
// It owns the limit, which is one of the whole process, so such tests do not run beside others. It must not know what
// writes the files. It needs Linux.
package disk
