// Package golden compares the output of tests with text files of the repository, and writes the files with go test
// -rewrite. The difference is then reviewed.
//
//   - A file is the whole output of a test (Compare).
//   - A transcript is a file of commands, each with its output; a test plays it and gives it back with the present output
//     (Transcripts).
//   - A script is blocks of commands, each with the events that are expected (Scripts).
//
// It owns the flag -rewrite, the loop over files and the report of a difference. It knows no commands. It is for tests
// and their support packages.
package golden
