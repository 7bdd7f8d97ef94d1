package main

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// point is a place in a file as coverage profiles count: from 1, columns in bytes.
type point struct{ Line, Column int }

func (p point) before(q point) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Column < q.Column
}

// block is a run of statements that are executed together. The file is relative to
// the repository.
type block struct {
	File     string
	From, To point
}

func (b block) contains(p point) bool { return !p.before(b.From) && p.before(b.To) }

// place is where the code that a mutant changes runs.
type place struct {
	file     string // relative to the repository
	at       point
	from, to point // of the function around it
}

// parseProfile returns the blocks of a coverage profile that were executed. The
// names of its files begin with the module's path.
func parseProfile(profile []byte, module string) ([]block, error) {
	var executed []block
	for lines := bufio.NewScanner(bytes.NewReader(profile)); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "mode: ") || strings.HasSuffix(line, " 0") {
			continue
		}
		b, err := parseBlock(line)
		if err != nil {
			return nil, err
		}
		b.File = strings.TrimPrefix(b.File, module+"/")
		executed = append(executed, b)
	}
	return executed, nil
}

// parseBlock reads a line "file:line.column,line.column statements count".
func parseBlock(line string) (block, error) {
	colon := strings.LastIndexByte(line, ':')
	fields := strings.Fields(line[colon+1:])
	if colon < 0 || len(fields) != 3 {
		return block{}, fmt.Errorf("expected FILE:FROM,TO STATEMENTS COUNT in a profile, got %q", line)
	}
	from, to, _ := strings.Cut(fields[0], ",")
	b := block{File: line[:colon]}
	var err error
	if b.From, err = parsePoint(from); err == nil {
		b.To, err = parsePoint(to)
	}
	return b, err
}

func parsePoint(text string) (point, error) {
	line, column, _ := strings.Cut(text, ".")
	l, err := strconv.Atoi(line)
	if err != nil {
		return point{}, fmt.Errorf("a line in a profile: %w", err)
	}
	c, err := strconv.Atoi(column)
	if err != nil {
		return point{}, fmt.Errorf("a column in a profile: %w", err)
	}
	return point{l, c}, nil
}

// at returns which of the blocks run the code of a place: those that contain it, or,
// where no block does (a case of a switch), all of its function.
func at(blocks []block, p place) []int {
	var containing, around []int
	for i, b := range blocks {
		if b.File != p.file {
			continue
		}
		if b.contains(p.at) {
			containing = append(containing, i)
		}
		if b.From.before(p.to) && p.from.before(b.To) {
			around = append(around, i)
		}
	}
	if len(containing) > 0 {
		return containing
	}
	return around
}
