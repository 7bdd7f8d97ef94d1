//go:build dist && linux && amd64

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestTheImageRunsInItsOwnRoot(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	lifecycle(t, installation{
		program: program{path: "/canisterd", root: root, dir: "/state", user: &syscall.Credential{Uid: daemonUser, Gid: daemonUser}},
		install: func(packages string) { runContainer(t, packed(t, packages, "canisterd-*-oci.tar"), root) },
		remove:  func() { do(t, root, "rm", "canisterd") },
	})
}

// runContainer makes the root of a container. If there is one of another image, the new one has its volume.
func runContainer(t *testing.T, name, root string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("entering the root of an image needs root: run make test-dist as root")
	}
	image := imageIn(t, readTar(t, name), "amd64")
	if got := image.config.Config.Entrypoint[0]; got != "/canisterd" {
		t.Fatalf("the image runs %s, want /canisterd", got)
	}
	old := root + ".old"
	err := os.Rename(root, old)
	image.unpack(t, root)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	do(t, root, "rmdir", "state")
	do(t, root, "mv", old+"/state", "state")
}

// image is an image of a layout, for one architecture.
type image struct {
	config imageConfig
	layer  []byte
}

// imageIn looks for the image for an architecture in a layout.
func imageIn(t *testing.T, blobs map[string][]byte, architecture string) image {
	t.Helper()
	var top, both index
	decode(t, blobs["index.json"], &top)
	decode(t, blobOfDigest(t, blobs, top.Manifests[0]), &both)
	for _, d := range both.Manifests {
		if d.Platform.Architecture != architecture {
			continue
		}
		var m manifest
		var found image
		decode(t, blobOfDigest(t, blobs, d), &m)
		decode(t, blobOfDigest(t, blobs, m.Config), &found.config)
		found.layer = blobOfDigest(t, blobs, m.Layers[0])
		return found
	}
	t.Fatalf("there is no image for %s", architecture)
	return image{}
}

// unpack unpacks the layer as a container engine does, with its owners.
func (i image) unpack(t *testing.T, root string) {
	t.Helper()
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	i.eachFile(t, func(header *tar.Header, data []byte) {
		name := filepath.Join(root, header.Name)
		var err error
		if header.Typeflag == tar.TypeDir {
			err = os.Mkdir(name, 0o700)
		} else {
			err = os.WriteFile(name, data, 0o600)
		}
		if err = errors.Join(err, os.Chown(name, header.Uid, header.Gid), os.Chmod(name, header.FileInfo().Mode())); err != nil {
			t.Fatal(err)
		}
	})
}

// file returns the content of a file of the layer.
func (i image) file(t *testing.T, name string) (content []byte) {
	t.Helper()
	i.eachFile(t, func(header *tar.Header, data []byte) {
		if header.Name == name {
			content = data
		}
	})
	return content
}

// eachFile passes the files of the layer.
func (i image) eachFile(t *testing.T, pass func(*tar.Header, []byte)) {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(i.layer))
	if err != nil {
		t.Fatal(err)
	}
	eachFile(t, unzipped, pass)
}
