package wasm

import "fmt"

// Fork makes a second guest with the committed state of g, which from here on goes its own way. A message of g may be open, even paused: the
// fork is as before it.
func (g *Guest) Fork() *Guest {
	im := g.Freeze()
	defer im.Close()
	f, err := g.engine.Restore(g.code, im, g.committedGlobals())
	if err != nil {
		panic(fmt.Errorf("wasm: fork: %w", err))
	}
	return f
}

// Fork makes a second image with the same bytes.
func (im *Image) Fork() *Image {
	f := &Image{engine: im.engine, size: im.size, kept: &slot{file: im.engine.file, refs: 1, size: im.size}}
	if err := im.fill(f.kept); err != nil {
		panic(fmt.Errorf("wasm: fork: %w", err))
	}
	return f
}
