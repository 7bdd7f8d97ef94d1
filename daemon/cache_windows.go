package daemon

import "os"

// checkOwner accepts every folder: access control lists close the user's folders to others, including the temporary
// one.
func checkOwner(string, os.FileInfo) error { return nil }

// checkPrivate accepts every folder, like checkOwner.
func checkPrivate(string, os.FileInfo) error { return nil }
