// Package markup lays out HTML documents: elements on lines of their own, and rows that are made while they are written.
//
// It owns the layout alone. Elements are those of gomponents, which escapes texts and the values of attributes. It knows no
// contexts, as html/template does, so a page puts what comes from others only there: never into a script, a style sheet,
// the name of an element or attribute, or the scheme of an address.
//
// It must not know what a document is about.
package markup
