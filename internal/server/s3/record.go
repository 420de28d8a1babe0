package s3

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
)

// objectRecord is an object as it is written down.
type objectRecord struct {
	Key      string            `json:"key"`
	ETag     string            `json:"etag"`
	Modified time.Time         `json:"modified"`
	Headers  map[string]string `json:"headers,omitempty"`
	Pieces   []pieceRecord     `json:"pieces"`
	Parts    []partRecord      `json:"parts,omitempty"`
	Checksum checksumRecord    `json:"checksum,omitzero"`
}

type pieceRecord struct {
	Blob   string `json:"blob"` // the file
	Offset int64  `json:"offset,omitempty"`
	Size   int64  `json:"size"`
}

type partRecord struct {
	Number   int            `json:"number"`
	Size     int64          `json:"size"`
	Checksum checksumRecord `json:"checksum,omitzero"`
}

type checksumRecord struct {
	Kind  string `json:"kind,omitempty"`
	Value []byte `json:"value,omitempty"`
	Parts int    `json:"parts,omitempty"`
}

func recordOf(o *object) *objectRecord {
	r := &objectRecord{Key: o.key, ETag: o.etag, Modified: o.modified, Headers: o.headers,
		Checksum: recordChecksum(o.checksum)}
	for _, p := range o.pieces {
		r.Pieces = append(r.Pieces, pieceRecord{p.Blob.Name(), p.Offset, p.Size})
	}
	for _, p := range o.parts {
		r.Parts = append(r.Parts, partRecord{p.number, p.size, recordChecksum(p.checksum)})
	}
	return r
}

func recordChecksum(c checksum) checksumRecord {
	if c.kind == nil {
		return checksumRecord{}
	}
	return checksumRecord{c.kind.name, c.value, c.parts}
}

func (r checksumRecord) checksum() checksum {
	k := checksumByName(r.Kind)
	if k == nil {
		return checksum{}
	}
	return checksum{k, r.Value, r.Parts}
}

// loader makes a catalog of what was written down.
type loader struct {
	keeper  *keeper
	catalog *catalog
	vault   *blob.Vault
	blobs   map[string]*blob.Blob
}

// load fills the catalog, and removes what no object uses.
func (k *keeper) load(c *catalog, v *blob.Vault) error {
	if k == nil {
		return nil
	}
	l := &loader{k, c, v, map[string]*blob.Blob{}}
	entries, err := fs.ReadDir(k.root.FS(), bucketsDir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := l.bucket(e.Name()); err != nil {
			return err
		}
	}
	return l.sweep()
}

func (l *loader) bucket(name string) error {
	if badBucketName(name) != "" {
		return fmt.Errorf("%s is not a bucket", path.Join(bucketsDir, name))
	}
	dir := path.Join(bucketsDir, name)
	var r bucketRecord
	if err := l.read(path.Join(dir, bucketFile), &r); err != nil {
		return err
	}
	b := &bucket{name: name, created: r.Created, objects: map[string]*object{}}
	l.catalog.buckets[name] = b
	l.catalog.memory.Note(bucketCost)
	err := fs.WalkDir(l.keeper.root.FS(), dir, func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || e.IsDir() || path.Base(file) == bucketFile:
			return err
		case isNew(file):
			return l.keeper.remove(file)
		}
		return l.object(b, file)
	})
	for key := range b.objects {
		b.keys = append(b.keys, key)
	}
	slices.Sort(b.keys)
	return err
}

func (l *loader) read(file string, into any) error {
	text, err := l.keeper.root.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func (l *loader) object(b *bucket, file string) error {
	var r objectRecord
	if err := l.read(file, &r); err != nil {
		return err
	}
	if objectFile(b.name, r.Key) != file {
		return fmt.Errorf("%s does not belong to the key that it contains", file)
	}
	o := &object{key: r.Key, etag: r.ETag, modified: r.Modified, headers: r.Headers, checksum: r.Checksum.checksum()}
	for _, p := range r.Pieces {
		found, err := l.blob(p.Blob)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if p.Offset < 0 || p.Size < 0 || p.Offset > found.Size()-p.Size {
			return fmt.Errorf("%s: %s has become shorter", file, p.Blob)
		}
		o.pieces = append(o.pieces, blob.Piece{Blob: found, Offset: p.Offset, Size: p.Size})
		o.size += p.Size
	}
	blob.Keep(o.pieces)
	for _, p := range r.Parts {
		o.parts = append(o.parts, partInfo{p.Number, p.Size, p.Checksum.checksum()})
	}
	b.objects[o.key] = o
	l.catalog.memory.Note(o.cost())
	return nil
}

// blob finds a blob by its name.
func (l *loader) blob(name string) (*blob.Blob, error) {
	if b := l.blobs[name]; b != nil {
		return b, nil
	}
	if !strings.HasPrefix(name, blob.DataDir+"/") {
		return nil, fmt.Errorf("%q is not a valid blob name", name)
	}
	info, err := l.keeper.root.Stat(name)
	if err != nil {
		return nil, err
	}
	b := l.vault.Found(name, info.Size())
	l.blobs[name] = b
	return b, nil
}

// sweep removes what uploads left behind that never became objects.
func (l *loader) sweep() error {
	var failed []error
	err := fs.WalkDir(l.keeper.root.FS(), blob.DataDir, func(file string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && l.blobs[file] == nil {
			failed = append(failed, l.keeper.remove(file))
		}
		return err
	})
	return errors.Join(append(failed, err)...)
}
