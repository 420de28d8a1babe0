package s3

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

// uploadCost is about how much memory an upload takes, partCost what each part adds.
const (
	uploadCost = 2 << 10
	partCost   = 512
)

// addUpload adds an upload.
func (c *catalog) addUpload(u *upload) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.buckets[u.bucket] == nil {
		return refusal.NoSuchBucket(u.bucket)
	}
	if !c.memory.Take(uploadCost) {
		return noMemory()
	}
	c.uploads[u.id] = u
	return nil
}

// findUpload gives an upload by its id; bucket and key must be its own. The caller holds the lock.
func (c *catalog) findUpload(bucketName, key, id string) (*upload, error) {
	if c.buckets[bucketName] == nil {
		return nil, refusal.NoSuchBucket(bucketName)
	}
	u := c.uploads[id]
	if u == nil || u.bucket != bucketName || u.key != key {
		return nil, refusal.NoSuchUpload(id)
	}
	return u, nil
}

// checksumOfUpload is the checksum that an upload wants of its parts.
func (c *catalog) checksumOfUpload(bucketName, key, id string) (*checksumKind, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	u, err := c.findUpload(bucketName, key, id)
	if err != nil {
		return nil, err
	}
	return u.kind, nil
}

// addPart puts a part in its place. It takes over the use of the part's data.
func (c *catalog) addPart(bucketName, key, id string, p *part) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	u, err := c.findUpload(bucketName, key, id)
	if err != nil {
		blob.Drop(p.pieces)
		return err
	}
	if old := u.parts[p.number]; old != nil {
		blob.Drop(old.pieces)
	} else if !c.memory.Take(partCost) {
		blob.Drop(p.pieces)
		return noMemory()
	}
	u.parts[p.number] = p
	return nil
}

// abortUpload drops an upload and its parts.
func (c *catalog) abortUpload(bucketName, key, id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	u, err := c.findUpload(bucketName, key, id)
	if err != nil {
		return err
	}
	c.forgetUpload(id, u)
	return nil
}

// forgetUpload drops an upload. The caller holds the lock.
func (c *catalog) forgetUpload(id string, u *upload) {
	for _, p := range u.parts {
		blob.Drop(p.pieces)
	}
	c.memory.Give(uploadCost + partCost*int64(len(u.parts)))
	delete(c.uploads, id)
}

// completeUpload makes an object of an upload: assemble does, of what the upload has. The object
// takes the place of the upload, whose data it uses.
func (c *catalog) completeUpload(bucketName, key, id string, cond *writeCondition,
	assemble func(*upload) (*object, error),
) (*object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u, err := c.findUpload(bucketName, key, id)
	if err != nil {
		for _, done := range c.completed {
			if done.id == id && done.object.key == key {
				return done.object, nil
			}
		}
		return nil, err
	}
	o, err := assemble(u)
	if err != nil {
		return nil, err
	}
	blob.Keep(o.pieces)
	if err := c.putLocked(bucketName, o, cond); err != nil {
		blob.Drop(o.pieces)
		return nil, err
	}
	c.forgetUpload(id, u)
	if len(c.completed) == maxCompleted {
		c.completed = slices.Delete(c.completed, 0, 1)
	}
	// Without its data, which a later object may replace.
	c.completed = append(c.completed, completion{id, &object{key: key, etag: o.etag, checksum: o.checksum}})
	return o, nil
}

// listParts gives the upload, and its parts in order.
func (c *catalog) listParts(bucketName, key, id string) (upload, []part, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	u, err := c.findUpload(bucketName, key, id)
	if err != nil {
		return upload{}, nil, err
	}
	var parts []part
	for _, n := range slices.Sorted(maps.Keys(u.parts)) {
		parts = append(parts, *u.parts[n])
	}
	return *u, parts, nil
}

// listUploads gives the uploads of a bucket by key and time.
func (c *catalog) listUploads(bucketName string) ([]upload, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.buckets[bucketName] == nil {
		return nil, refusal.NoSuchBucket(bucketName)
	}
	var out []upload
	for _, u := range c.uploads {
		if u.bucket == bucketName {
			out = append(out, *u)
		}
	}
	slices.SortFunc(out, func(a, b upload) int {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.id, b.id))
	})
	return out, nil
}
