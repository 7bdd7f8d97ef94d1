package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// The media types of the OCI image specification, version 1.1.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// descriptor refers to a blob by its digest.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *imagePlatform    `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type imagePlatform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// manifest lists the parts of the image of one platform.
type manifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Config        descriptor   `json:"config"`
	Layers        []descriptor `json:"layers"`
}

// index lists the images of all platforms.
type index struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Manifests     []descriptor `json:"manifests"`
}

// imageConfig says how the image is run.
type imageConfig struct {
	Created      time.Time     `json:"created"`
	Architecture string        `json:"architecture"`
	OS           string        `json:"os"`
	Config       processConfig `json:"config"`
	RootFS       rootFS        `json:"rootfs"`
}

type processConfig struct {
	User         string              `json:"User"`
	ExposedPorts map[string]struct{} `json:"ExposedPorts"`
	Entrypoint   []string            `json:"Entrypoint"`
	Cmd          []string            `json:"Cmd"`
	Volumes      map[string]struct{} `json:"Volumes"`
	Labels       map[string]string   `json:"Labels"`
}

type rootFS struct {
	Type    string   `json:"type"`
	DiffIDs []string `json:"diff_ids"`
}

// imageName returns the name of the image layout in the directory for the packages.
func imageName(r release) string { return fmt.Sprintf("canisterd-%s-oci.tar", r.version) }

// packImage writes one OCI image layout as tar, with an image for each Linux platform: what the Dockerfile makes.
func packImage(r release, builds []build, shared []file, out string) error {
	var blobs []file
	all := index{SchemaVersion: 2, MediaType: typeIndex}
	for _, b := range builds {
		if b.platform.goos != "linux" {
			continue
		}
		binary, err := os.ReadFile(b.path)
		if err != nil {
			return err
		}
		image, parts, err := imageOf(r, b.platform.goarch, imageRoot(binary, shared))
		if err != nil {
			return fmt.Errorf("packing the image for %s: %w", b.platform, err)
		}
		all.Manifests, blobs = append(all.Manifests, image), append(blobs, parts...)
	}
	both, err := blobOf(typeIndex, all, &blobs)
	if err != nil {
		return err
	}
	both.Annotations = map[string]string{"org.opencontainers.image.ref.name": r.version}
	top, err := json.Marshal(index{SchemaVersion: 2, MediaType: typeIndex, Manifests: []descriptor{both}})
	if err != nil {
		return err
	}
	files := append(blobs, file{name: "index.json", mode: 0o644, data: top},
		file{name: "oci-layout", mode: 0o644, data: []byte(`{"imageLayoutVersion":"1.0.0"}`)})
	return writeFile(filepath.Join(out, imageName(r)), func(w io.Writer) error { return writeTar(w, files, r.time) })
}

// imageOf returns the image of an architecture and the blobs that it has.
func imageOf(r release, architecture string, root []file) (descriptor, []file, error) {
	var layer bytes.Buffer
	if err := writeTar(&layer, root, r.time); err != nil {
		return descriptor{}, nil, err
	}
	content := digestOf(layer.Bytes())
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return descriptor{}, nil, err
	}
	if _, err := w.Write(layer.Bytes()); err != nil {
		return descriptor{}, nil, err
	}
	if err := w.Close(); err != nil {
		return descriptor{}, nil, err
	}
	var blobs []file
	config, err := blobOf(typeConfig, configOf(r, architecture, content), &blobs)
	if err != nil {
		return descriptor{}, nil, err
	}
	m := manifest{SchemaVersion: 2, MediaType: typeManifest, Config: config, Layers: []descriptor{addBlob(typeLayer, zipped.Bytes(), &blobs)}}
	image, err := blobOf(typeManifest, m, &blobs)
	image.Platform = &imagePlatform{architecture, "linux"}
	return image, blobs, err
}

// imageRoot returns the files of an image: the binary, its licenses, and the two directories that it writes to.
func imageRoot(binary []byte, shared []file) []file {
	return append(licensesUnder("licenses/", shared), []file{
		{name: "canisterd", mode: 0o755, data: binary},
		{name: "state/", mode: 0o700, owner: daemonUser},
		{name: "tmp/", mode: 0o777 | os.ModeSticky, owner: daemonUser},
	}...)
}

// daemonUser is who the daemon runs as in a container: nobody with a name or rights.
const daemonUser = 65532

// configOf returns how a container runs the daemon. The address is open in the container: which of its ports the host
// publishes, and to whom, is the host's decision.
func configOf(r release, architecture, content string) imageConfig {
	return imageConfig{
		Created: r.time, Architecture: architecture, OS: "linux",
		Config: processConfig{
			User: fmt.Sprint(daemonUser), ExposedPorts: map[string]struct{}{"4943/tcp": {}}, Volumes: map[string]struct{}{"/state": {}},
			Entrypoint: []string{"/canisterd"}, Cmd: []string{"start", "--listen", "0.0.0.0:4943", "--state-dir", "/state"},
			Labels: map[string]string{
				"org.opencontainers.image.title": "canisterd", "org.opencontainers.image.version": r.version,
				"org.opencontainers.image.licenses": licenseExpression, "org.opencontainers.image.source": repository,
			},
		},
		RootFS: rootFS{Type: "layers", DiffIDs: []string{content}},
	}
}

// blobOf adds the JSON of a value to blobs.
func blobOf(mediaType string, value any, blobs *[]file) (descriptor, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return descriptor{}, err
	}
	return addBlob(mediaType, data, blobs), nil
}

// addBlob adds data to blobs under its digest.
func addBlob(mediaType string, data []byte, blobs *[]file) descriptor {
	digest := digestOf(data)
	*blobs = append(*blobs, file{name: "blobs/sha256/" + digest[len("sha256:"):], mode: 0o644, data: data})
	return descriptor{MediaType: mediaType, Digest: digest, Size: len(data)}
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
