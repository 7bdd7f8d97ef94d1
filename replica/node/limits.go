package node

const (
	// MaxInbox is how many requests wait for the owner of the network. A message
	// that finds no room is refused with 503; nothing is lost unseen. Ours.
	MaxInbox = 4096
	// MaxBatch is how many requests the owner takes between two rounds. Ours.
	MaxBatch = 1024
	// MaxEvents is how many events wait for a slow watcher before some are dropped
	// and counted. Ours.
	MaxEvents = 8192
)
