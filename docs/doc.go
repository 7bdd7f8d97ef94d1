// Package docs has the pages of the book that the program shows, such as to an assistant that asks for a topic.
//
// It owns the list of these pages and how one is divided into sections. It must not know who reads them.
package docs
