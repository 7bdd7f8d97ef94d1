package modulecache

import "os"

// checkOwner accepts every folder: access control lists close the user's folders to others, including the temporary
// one.
func checkOwner(string, os.FileInfo) error { return nil }
