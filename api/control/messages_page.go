package control

import (
	"encoding/base64"
	"encoding/binary"
	"strconv"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica/introspect"
)

const (
	// defaultPage is how many entries a page of a list has by default. Ours.
	defaultPage = 100
	// maxPageBytes limits the arguments and bodies on a page with more than one entry. Ours.
	maxPageBytes = 3 << 20
)

// readPage parses the requested page of a list. An empty canister is any.
func readPage(in *controlv1.Page, canister string) (page introspect.Page, err error) {
	if page.Limit, err = pageSize(in); err != nil {
		return page, err
	}
	if page.Canister, err = readAny("canister_id", canister); err != nil {
		return page, err
	}
	page.After, err = readCursor(in.GetToken())
	return page, err
}

func pageSize(in *controlv1.Page) (int, error) {
	switch size := in.GetSize(); {
	case size > introspect.MaxListed:
		return 0, BadField.Refuse("page.size", size, "a page has at most 1,000 entries")
	case size > 0:
		return int(size), nil
	}
	return defaultPage, nil
}

// cursorBytes is the length of a cursor: three numbers.
const cursorBytes = 3 * 8

// readCursor parses the token of a page, which holds only the place where the list continues.
func readCursor(token string) (c introspect.Cursor, err error) {
	if token == "" {
		return c, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != cursorBytes {
		return c, BadField.Refuse("page.token", strconv.Quote(token), "expected the next_page_token of the page before, or empty")
	}
	return introspect.Cursor{
		At: binary.BigEndian.Uint64(raw), Subnet: int(int32(binary.BigEndian.Uint64(raw[8:]))), ID: binary.BigEndian.Uint64(raw[16:]),
	}, nil
}

// pageToken returns the token of the page that begins after a cursor, empty if there is none.
func pageToken(c *introspect.Cursor) string {
	if c == nil {
		return ""
	}
	raw := binary.BigEndian.AppendUint64(nil, c.At)
	raw = binary.BigEndian.AppendUint64(raw, uint64(c.Subnet))
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(raw, c.ID))
}

// within returns how many of the first entries are on a page, given the bytes of each.
func within(entries int, bytes func(int) int) int {
	sum := 0
	for i := range entries {
		if sum += bytes(i); i > 0 && sum > maxPageBytes {
			return i
		}
	}
	return entries
}
