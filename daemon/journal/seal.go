package journal

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// sealBytes is the length of what a seal adds to a text.
const sealBytes = 10

// sealed is a text with its checksum, as a small file has it.
func sealed(text []byte) []byte {
	return fmt.Appendf(nil, "%s\n%08x\n", text, crc32.Checksum(text, castagnoli))
}

var errSeal = errors.New("its content is not what was written")

// readSealed is the text of a small file, nil if there is no such file. The error is errSeal if it was changed.
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

// putSealed writes a small file. It is on disk, or the one before is.
func (j *Journal) putSealed(name string, text []byte) error {
	return j.putFile(name, func(w io.Writer) error {
		_, err := w.Write(sealed(text))
		return err
	})
}
