package ic

import (
	"context"
	"slices"

	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/internal/certify"
)

// readState answers a read_state whose paths allow permits.
func (h *Handler) readState(ctx context.Context, to *target, body []byte, allow func(*reader, certify.Path) error) ([]byte, error) {
	request, err := decode(ctx, h.info.Decoders, body, wire.DecodeReadState)
	if err != nil {
		return nil, err
	}
	claims, err := h.authorize(to, request, &request.Envelope)
	if err != nil {
		return nil, err
	}
	leave, err := h.info.Decoders.enter(ctx, len(request.Paths) > manyPaths)
	if err != nil {
		return nil, err
	}
	defer leave()
	r := reader{target: to, claims: &claims}
	paths := make([]certify.Path, len(request.Paths))
	for i, labels := range request.Paths {
		paths[i] = certify.PathOf(labels)
		if err := allow(&r, paths[i]); err != nil {
			return nil, err
		}
	}
	response := wire.EncodeReadState(h.certificate(to, to.view, r.visible(paths)...))
	if r.request != nil {
		h.delivered(to, *r.request, response)
	}
	return response, nil
}

// visible returns the visible part of the paths: a path that covers something hidden becomes the visible paths beneath
// it.
func (r *reader) visible(paths []certify.Path) []certify.Path {
	slices.SortFunc(paths, slices.Compare[certify.Path])
	paths = slices.CompactFunc(paths, slices.Equal[certify.Path])
	tree := r.view.Certified(r.subnet).Tree()
	seen := make([]certify.Path, 0, len(paths))
	for i, path := range paths {
		switch {
		case path[0] != "subnet":
			seen = append(seen, path)
		case !covered(paths[:i], path):
			seen = append(seen, tree.Expand(path, r.sees)...)
		}
	}
	return seen
}

// covered reports whether one of the earlier paths is a prefix of this one. In sorted paths a prefix precedes all that
// it covers.
func covered(before []certify.Path, path certify.Path) bool {
	for length := 1; length < len(path); length++ {
		if _, found := slices.BinarySearchFunc(before, path[:length], slices.Compare[certify.Path]); found {
			return true
		}
	}
	return false
}
