package journal

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// sealBytes is how many bytes a seal adds to a text.
const sealBytes = 10

// sealed returns the content of a small file: a text and its checksum.
func sealed(text []byte) []byte {
	return fmt.Appendf(nil, "%s\n%08x\n", text, crc32.Checksum(text, castagnoli))
}

var errSeal = errors.New("its checksum does not match")

// readSealed returns the text of a small file, nil if the file does not exist. The error is errSeal if it is damaged.
func (j *Journal) readSealed(name string) ([]byte, error) {
	file, err := j.fs.Open(j.path(name))
	if isNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if len(content) < sealBytes || string(sealed(content[:len(content)-sealBytes])) != string(content) {
		return nil, errSeal
	}
	return content[:len(content)-sealBytes], nil
}

// putSealed writes a small file atomically: the new content is on disk, or the old one still is.
func (j *Journal) putSealed(name string, text []byte) error {
	return j.putFile(name, func(w io.Writer) error {
		_, err := w.Write(sealed(text))
		return err
	})
}
