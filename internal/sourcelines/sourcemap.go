package sourcelines

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// sourceMap is the JSON of a source map.
type sourceMap struct {
	Version  int             `json:"version"`
	Root     string          `json:"sourceRoot"`
	Sources  []*string       `json:"sources"`
	Mappings *string         `json:"mappings"`
	Sections json.RawMessage `json:"sections"`
}

const mapRemedy = "give the map that the compiler wrote with this module (moc --map writes NAME.wasm.map)"

func badMap(format string, args ...any) error {
	return fmt.Errorf("the source map %s: %s", fmt.Sprintf(format, args...), mapRemedy)
}

// readMap reads the lines of a module from a source map. size is the size of the module's file.
func readMap(m *module, size int, text []byte) (*Lines, error) {
	var sm sourceMap
	if err := json.Unmarshal(text, &sm); err != nil {
		return nil, badMap("is not JSON of the known form (%v)", err)
	}
	switch {
	case sm.Version != 3:
		return nil, badMap("has version %d, not 3", sm.Version)
	case sm.Mappings == nil || sm.Sections != nil:
		return nil, badMap("has no mappings, or is one of several maps")
	case len(sm.Sources) > MaxTableNames:
		return nil, badMap("has %d sources, more than %d", len(sm.Sources), MaxTableNames)
	}
	l := &Lines{functions: m.offsetBodies()}
	for _, source := range sm.Sources {
		l.files = append(l.files, sm.name(source))
	}
	rows, err := sm.rows(m, size, l.files)
	if err != nil {
		return nil, err
	}
	l.rows = m.arrange(rows)
	return l.sorted(), nil
}

// name returns the name of a source; empty if it has none.
func (sm *sourceMap) name(source *string) string {
	if source == nil || *source == "" {
		return ""
	}
	root := slashed(strings.TrimPrefix(string(clip([]byte(sm.Root))), "file://"))
	return named(joined(root, slashed(strings.TrimPrefix(string(clip([]byte(*source))), "file://"))), "")
}

// rows decodes the mappings: segments of numbers, each relative to the one before. The only line of a module is the
// first, and its columns are offsets in the file.
func (sm *sourceMap) rows(m *module, size int, files []string) (rows []row, err error) {
	line, _, _ := strings.Cut(*sm.Mappings, ";")
	var column, source, number int64
	for n := 0; line != ""; n++ {
		var segment string
		segment, line, _ = strings.Cut(line, ",")
		if segment == "" {
			continue
		}
		var fields [5]int64
		count, ok := decode(segment, &fields)
		if !ok || count != 1 && count < 4 {
			return nil, badMap("is damaged in segment %d", n)
		}
		if n == MaxRows {
			return nil, badMap("has more than %d segments", MaxRows)
		}
		column += fields[0]
		r := row{0, noFile, 0}
		if count >= 4 {
			source, number = source+fields[1], number+fields[2]
			if source < 0 || source >= int64(len(files)) {
				return nil, badMap("has source %d of %d in segment %d", source, len(files), n)
			}
			if number >= 0 && number < MaxLine && files[source] != "" {
				r.file, r.number = int32(source), int32(number+1)
			}
		}
		if column < 0 || column >= int64(size) {
			return nil, badMap("has code at byte %d of a module of %d bytes, so it is of another build", column, size)
		}
		if r.offset = uint32(column); m.inCode(r.offset) {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func (m *module) inCode(offset uint32) bool {
	return offset >= m.base && uint64(offset-m.base) < uint64(len(m.code))
}

// decode decodes the numbers of a segment (base 64, five bits a digit, the lowest is the sign) and returns how many
// there are.
func decode(segment string, fields *[5]int64) (n int, ok bool) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	value, shift := int64(0), 0
	for i := range len(segment) {
		digit := strings.IndexByte(alphabet, segment[i])
		if digit < 0 || n == len(fields) || shift > 30 {
			return 0, false
		}
		value |= int64(digit&31) << shift
		if shift += 5; digit&32 != 0 {
			continue
		}
		if fields[n] = value >> 1; value&1 != 0 {
			fields[n] = -fields[n]
		}
		if fields[n] > math.MaxInt32 || fields[n] < math.MinInt32 {
			return 0, false
		}
		n++
		value, shift = 0, 0
	}
	return n, shift == 0
}
