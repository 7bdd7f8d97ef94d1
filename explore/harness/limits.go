package harness

// maxBefore is how many messages a call before the runs and what follows from it deliver at most. Ours.
const maxBefore = 10_000

// messagesUnasked is after how many messages runs ask whether their time is over. A slice of a long message counts as one.
// Ours: asking costs less than a message.
const messagesUnasked = 64
