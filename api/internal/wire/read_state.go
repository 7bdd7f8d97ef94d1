package wire

import "fmt"

// Path is a path into the certified state tree, label by label.
type Path [][]byte

// ReadState requests a certificate of parts of the state (interface specification, "Request: Read state").
type ReadState struct {
	Envelope
	Paths []Path
}

// DecodeReadState reads the body of a read_state request. It does not
// authenticate it. Every error is a *refusal.Refusal. The result's slices alias body.
func DecodeReadState(body []byte) (*ReadState, error) {
	request := new(ReadState)
	content, err := request.Envelope.open(body, KindReadState)
	if err != nil {
		return nil, err
	}
	if request.Paths, err = readPaths(content); err != nil {
		return nil, malformed(KindReadState, err)
	}
	return request, nil
}

func readPaths(content fields) ([]Path, error) {
	it, err := content.required("paths", kindArray)
	if err != nil {
		return nil, err
	}
	if it.num > MaxPaths {
		return nil, refuse("Too many paths in read state request: got %d paths, but at most %d are allowed.", it.num, MaxPaths)
	}
	paths := make([]Path, 0, it.num)
	err = it.elements(func(element item) error {
		path, err := readPath(element)
		paths = append(paths, path)
		return err
	})
	return paths, err
}

func readPath(it item) (Path, error) {
	if it.kind != kindArray {
		return nil, fmt.Errorf("a path in field `paths` is %s, not an array", it.kind)
	}
	if it.num > MaxLabelsPerPath {
		return nil, refuse("At least one path in read state request is too deep: got %d labels, but at most %d are allowed.", it.num, MaxLabelsPerPath)
	}
	path := make(Path, 0, it.num)
	err := it.elements(func(label item) error {
		if label.kind != kindBlob {
			return fmt.Errorf("a label in field `paths` is %s, not a blob", label.kind)
		}
		path = append(path, label.body)
		return nil
	})
	return path, err
}
