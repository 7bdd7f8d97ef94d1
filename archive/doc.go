// Package archive is the form of state in a file: sections of numbers, bytes and pages,
// each checked, written and read as a stream.
//
// It owns the frames of the file, the checksums, the compression and the elementary values. It must not know what is
// written: every package whose state is archived lists its fields in one function for both directions, so that
// everything that is written is also read. Such a function stores to a value only where it reads: a fork is written
// beside the network that goes on, and both share values.
//
// # The file
//
//	magic    16 bytes, "canisterd state\n"
//	version  4 bytes, big-endian
//	sections, in the order their writer has:
//	  'S', length of the name, name
//	  frames: kind, length of the content, length as stored, CRC-32C, content as stored
//	  0, length of all contents, CRC-32C
//	'E', number of sections, length of the file up to the 'E', SHA-256 of the file up to here
//
// Numbers are in LEB128 where nothing else is said. A frame has at most 256 KiB of content, as it is or in
// the format of RFC 1951, each by itself: frames can be read and checked one by one. Its
// checksum is over the name of the section and the place of the frame in it too, so that
// frames do not change places unseen.
//
// Pages are records of runs: how many follow, how many before them are not there, and what is in them, unless all
// are zero: some thousand of those are left out of a file.
//
// # Pages beside the file
//
// A checkpoint keeps the pages of memories in the files of a PageStore, uncompressed. The reader loads a memory on first
// use. The writer skips a memory that is the same as in an earlier checkpoint. The checkpoint file has the SHA-256 of each
// run of pages instead of the bytes. A section after the memories has the file and the offset of each memory.
//
// # Versions
//
// Whatever an older file cannot have is asked for behind Coder.Since.
//
//	1  the first
//	2  messages that are parked in the middle of their code
//	3  flexible outcalls, outcalls of pricing version 2, and the instructions of all rounds
//	4  messages whose callbacks are made to need too many instructions
//	5  features of canisters, and messages that wait for a time in the middle of their code
//	6  subnets that were added to a network that ran, and subnets for benchmarks
//	7  pages in files beside this one
//	8  marks in the journal: messages whose code failed, and certified roots; subnets that were deleted
//	9  marks of users in the journal
//
// # What is promised
//
// The same state gives the same file, byte for byte, from the same program. A file of an older version is read; a newer
// version is refused and named. The reader trusts nothing in a file: lengths are bounded, memory is taken as bytes
// arrive, and a fault names the section and the byte.
package archive
