package assets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/candid"
)

// Canister calls an asset canister, with an argument in Candid.
type Canister interface {
	Update(ctx context.Context, method string, argument []byte) (reply []byte, err error)
	Query(ctx context.Context, method string, argument []byte) (reply []byte, err error)
}

// Done counts the files of an upload.
type Done struct {
	Uploaded  int `json:"uploaded"`
	Deleted   int `json:"deleted"`
	Unchanged int `json:"unchanged"`
}

// The Candid types of the interface, with the fields that are used.
type (
	listed struct {
		Key       string           `ic:"key"`
		Kind      string           `ic:"content_type"`
		Encodings []listedEncoding `ic:"encodings"`
	}
	listedEncoding struct {
		Name string  `ic:"content_encoding"`
		Hash *[]byte `ic:"sha256"`
	}
	batch struct {
		ID candid.Nat `ic:"batch_id"`
	}
	chunk struct {
		Batch   candid.Nat `ic:"batch_id"`
		Content []byte     `ic:"content"`
	}
	storedChunk struct {
		ID candid.Nat `ic:"chunk_id"`
	}
	commit struct {
		Batch      candid.Nat  `ic:"batch_id"`
		Operations []operation `ic:"operations"`
	}
	operation struct {
		Create *createAsset  `ic:"CreateAsset,variant"`
		Set    *setContent   `ic:"SetAssetContent,variant"`
		Unset  *unsetContent `ic:"UnsetAssetContent,variant"`
		Delete *deleteAsset  `ic:"DeleteAsset,variant"`
	}
	createAsset struct {
		Key  string `ic:"key"`
		Kind string `ic:"content_type"`
	}
	setContent struct {
		Key      string       `ic:"key"`
		Encoding string       `ic:"content_encoding"`
		Chunks   []candid.Nat `ic:"chunk_ids"`
		Hash     *[]byte      `ic:"sha256"`
	}
	unsetContent struct {
		Key      string `ic:"key"`
		Encoding string `ic:"content_encoding"`
	}
	deleteAsset struct {
		Key string `ic:"key"`
	}
)

// Upload makes the files of a canister the given ones, by their keys: paths that begin with /. Nothing is sent if they are.
func Upload(ctx context.Context, c Canister, files map[string][]byte) (Done, error) {
	u := &upload{canister: c}
	wanted, err := assetsOf(files)
	if err != nil {
		return u.done, err
	}
	present, err := u.list(ctx)
	if err != nil {
		return u.done, err
	}
	u.compare(wanted, present)
	if len(u.operations) == 0 {
		return u.done, nil
	}
	return u.done, u.send(ctx, wanted)
}

func assetsOf(files map[string][]byte) (map[string]*asset, error) {
	if len(files) > MaxFiles {
		return nil, fmt.Errorf("there are %d files: at most %d can be uploaded", len(files), MaxFiles)
	}
	all := map[string]*asset{}
	for key, text := range files {
		a, err := assetOf(key, text)
		if err != nil {
			return nil, err
		}
		all[key] = a
	}
	return all, nil
}

// upload is one upload.
type upload struct {
	canister   Canister
	operations []operation
	done       Done
}

// errNoAssets is the error for a canister without the interface.
var errNoAssets = errors.New("it is not an asset canister, or refuses the caller")

// list returns the assets that the canister has, by their keys.
func (u *upload) list(ctx context.Context) (map[string]listed, error) {
	argument, err := candid.Marshal(struct{}{})
	if err != nil {
		return nil, err
	}
	reply, err := u.canister.Query(ctx, "list", argument)
	if err != nil {
		return nil, fmt.Errorf("listing the files: %w: %w", errNoAssets, err)
	}
	var all []listed
	if err := candid.Unmarshal(reply, &all); err != nil {
		return nil, fmt.Errorf("listing the files: %w: %w", errNoAssets, err)
	}
	present := map[string]listed{}
	for _, l := range all {
		present[l.Key] = l
	}
	return present, nil
}

// compare finds the operations that make the present files the wanted ones.
func (u *upload) compare(wanted map[string]*asset, present map[string]listed) {
	for _, key := range slices.Sorted(maps.Keys(present)) {
		if wanted[key] == nil {
			u.operations = append(u.operations, operation{Delete: &deleteAsset{key}})
			u.done.Deleted++
		}
	}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		before := len(u.operations)
		has, found := present[key]
		u.compareAsset(key, wanted[key], has, found)
		if len(u.operations) == before {
			u.done.Unchanged++
		} else {
			u.done.Uploaded++
		}
	}
}

func (u *upload) compareAsset(key string, wanted *asset, has listed, found bool) {
	if found && has.Kind != wanted.kind { // a type cannot change
		u.operations = append(u.operations, operation{Delete: &deleteAsset{key}})
		found, has = false, listed{}
	}
	if !found {
		u.operations = append(u.operations, operation{Create: &createAsset{key, wanted.kind}})
	}
	hashes := map[string][]byte{}
	for _, e := range has.Encodings {
		if _, kept := wanted.encodings[e.Name]; !kept {
			u.operations = append(u.operations, operation{Unset: &unsetContent{key, e.Name}})
		}
		if e.Hash != nil {
			hashes[e.Name] = *e.Hash
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted.encodings)) {
		if hash := wanted.encodings[name].hash; !bytes.Equal(hashes[name], hash) {
			u.operations = append(u.operations, operation{Set: &setContent{Key: key, Encoding: name, Hash: &hash}})
		}
	}
}

// send sends the contents, and then commits all operations at once.
func (u *upload) send(ctx context.Context, wanted map[string]*asset) error {
	var created batch
	if err := u.update(ctx, "create_batch", struct{}{}, &created); err != nil {
		return err
	}
	for _, o := range u.operations {
		if o.Set == nil {
			continue
		}
		var err error
		if o.Set.Chunks, err = u.sendContent(ctx, created.ID, wanted[o.Set.Key].encodings[o.Set.Encoding].bytes); err != nil {
			return fmt.Errorf("%s: %w", o.Set.Key, err)
		}
	}
	return u.update(ctx, "commit_batch", commit{created.ID, u.operations}, nil)
}

// sendContent sends a content in chunks, at least one.
func (u *upload) sendContent(ctx context.Context, id candid.Nat, text []byte) (ids []candid.Nat, err error) {
	for first := true; first || len(text) > 0; first = false {
		part := text[:min(len(text), maxChunkBytes)]
		text = text[len(part):]
		var stored storedChunk
		if err := u.update(ctx, "create_chunk", chunk{id, part}, &stored); err != nil {
			return nil, err
		}
		ids = append(ids, stored.ID)
	}
	return ids, nil
}

// update calls a method and reads its reply, unless that is nil.
func (u *upload) update(ctx context.Context, method string, argument, reply any) error {
	raw, err := candid.Marshal(argument)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	answer, err := u.canister.Update(ctx, method, raw)
	if err != nil || reply == nil {
		return err
	}
	if err := candid.Unmarshal(answer, reply); err != nil {
		return fmt.Errorf("the reply of %s: %w", method, err)
	}
	return nil
}
