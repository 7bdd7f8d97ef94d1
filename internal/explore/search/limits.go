package search

// splitDepth is how many moves the paths of subtrees have at most (ours).
const splitDepth = 12
