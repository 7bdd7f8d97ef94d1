package harness

// maxBefore is how many messages a call before the runs and what follows from it deliver at most. Ours.
const maxBefore = 10_000
