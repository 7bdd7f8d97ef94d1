package main

import (
	"errors"
	"regexp"
	"strings"
)

// innermost returns the reason within wrapping errors: "connection refused" of a request that could not be sent.
func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// transport is gRPC's text around the reason for a failed connection.
var transport = regexp.MustCompile(`^.*desc = "transport: (.*)"$`)

// dialed is the network library's text before that.
var dialed = regexp.MustCompile(`^(?:Error while dialing: )?(?:dial \w+ \S+: )?(?:connect: )?`)

// withoutTransport returns why a connection failed, without the words of libraries.
func withoutTransport(text string) string {
	if inner := transport.FindStringSubmatch(text); inner != nil {
		text = inner[1]
	}
	return dialed.ReplaceAllString(text, "")
}

// aboutField is the daemon's text about a field of a message; it may quote the value twice.
var aboutField = regexp.MustCompile(`^([a-z_.]+) (cannot be|is not set)(.*)$`)

var repeated = regexp.MustCompile(`^( ("[^"]*"): )("[^"]*") is not`)

// withoutFields replaces the paths of fields in a text of the daemon by words.
func withoutFields(text string) string {
	parts := aboutField.FindStringSubmatch(text)
	if parts == nil {
		return text
	}
	field := parts[1][strings.LastIndexByte(parts[1], '.')+1:]
	rest := parts[3]
	if twice := repeated.FindStringSubmatch(rest); twice != nil && twice[2] == twice[3] {
		rest = twice[1] + "it is not" + strings.TrimPrefix(rest, twice[0])
	}
	return strings.ReplaceAll(field, "_", " ") + " " + parts[2] + rest
}
