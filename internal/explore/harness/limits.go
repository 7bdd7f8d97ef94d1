package harness

// maxBefore is how many messages a call before the runs delivers at most, with all that follow from it. Ours.
const maxBefore = 10_000

// expiryInterval is after how many messages runs check whether the time is over. A slice of a long message counts as
// one. Ours: the check costs less than a message.
const expiryInterval = 64

// maxSharedBlocks is how many different sets of blocks a harness keeps, so that messages share them. Ours: a set takes 4 KB.
const maxSharedBlocks = 10_000

// maxListed is how many methods an error about a mistyped one lists. Ours.
const maxListed = 20
