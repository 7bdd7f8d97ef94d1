package journal

// MaxPageFiles is what tests look at.
const MaxPageFiles = maxPageFiles
