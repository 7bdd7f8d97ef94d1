// Package spelling says what was most likely meant by words and principals that are not right.
//
// It owns the distance between words and the texts of suggestions. It must not know which words there are.
package spelling
