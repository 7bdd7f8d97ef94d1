package daemon

import "os"

// checkOwner accepts each folder: the user's folders are closed to others by their lists of
// access, the temporary one among them.
func checkOwner(string, os.FileInfo) error { return nil }

// checkPrivate accepts each folder, as checkOwner.
func checkPrivate(string, os.FileInfo) error { return nil }
