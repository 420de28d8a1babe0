package s3

import (
	"crypto/rand"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

// catalog is what buckets, objects and uploads there are. Its lock is held for moments.
type catalog struct {
	memory *blob.Space // what the metadata takes
	keeper *keeper     // writes the metadata down; nil: nobody does

	mu        sync.RWMutex
	buckets   map[string]*bucket
	uploads   map[string]*upload
	completed []completion // the last ones, since clients repeat what they had no answer to
}

type bucket struct {
	name    string
	created time.Time
	objects map[string]*object
	keys    []string // sorted
}

// completion is an upload that was completed.
type completion struct {
	id     string
	object *object
}

// maxCompleted is how many completed uploads are remembered.
const maxCompleted = 1000

func newCatalog(memory *blob.Space, k *keeper) *catalog {
	return &catalog{memory: memory, keeper: k, buckets: map[string]*bucket{}, uploads: map[string]*upload{}}
}

// noMemory is the answer when there is no room for metadata.
func noMemory() *refusal.Error {
	return refusal.Full("The server has reached its limit for metadata (--memory).")
}

// bucketCost is about how much memory a bucket takes.
const bucketCost = 1 << 10

func (c *catalog) createBucket(name string, now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, exists := c.buckets[name]; exists {
		return refusal.New(http.StatusConflict, "BucketAlreadyOwnedByYou",
			"Your previous request to create the named bucket succeeded and you already own it.").
			With("BucketName", name)
	}
	if !c.memory.Take(bucketCost) {
		return noMemory()
	}
	if err := c.keeper.createBucket(name, now); err != nil {
		c.memory.Give(bucketCost)
		return err
	}
	c.buckets[name] = &bucket{name: name, created: now, objects: map[string]*object{}}
	return nil
}

func (c *catalog) deleteBucket(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.buckets[name]
	if b == nil {
		return refusal.NoSuchBucket(name)
	}
	if len(b.objects) > 0 {
		return refusal.New(http.StatusConflict, "BucketNotEmpty", "The bucket you tried to delete is not empty").
			With("BucketName", name)
	}
	if err := c.keeper.deleteBucket(name); err != nil {
		return err
	}
	delete(c.buckets, name)
	c.memory.Give(bucketCost)
	for id, u := range c.uploads {
		if u.bucket == name {
			c.forgetUpload(id, u)
		}
	}
	return nil
}

func (c *catalog) hasBucket(name string) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.buckets[name] == nil {
		return refusal.NoSuchBucket(name)
	}
	return nil
}

type bucketInfo struct {
	name    string
	created time.Time
}

func (c *catalog) listBuckets() []bucketInfo {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var out []bucketInfo
	for _, name := range slices.Sorted(maps.Keys(c.buckets)) {
		out = append(out, bucketInfo{name, c.buckets[name].created})
	}
	return out
}

// get finds an object and keeps its data until release.
func (c *catalog) get(bucketName, key string) (o *object, release func(), err error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	b := c.buckets[bucketName]
	if b == nil {
		return nil, nil, refusal.NoSuchBucket(bucketName)
	}
	o = b.objects[key]
	if o == nil {
		return nil, nil, refusal.NoSuchKey(key)
	}
	blob.Keep(o.pieces)
	return o, func() { blob.Drop(o.pieces) }, nil
}

// put puts an object in its place, if the condition holds. It takes over the object's use of
// its data, also when it fails.
func (c *catalog) put(bucketName string, o *object, cond *writeCondition) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.putLocked(bucketName, o, cond); err != nil {
		blob.Drop(o.pieces)
		return err
	}
	return nil
}

func (c *catalog) putLocked(bucketName string, o *object, cond *writeCondition) error {
	b := c.buckets[bucketName]
	if b == nil {
		return refusal.NoSuchBucket(bucketName)
	}
	old := b.objects[o.key]
	if err := cond.check(o.key, old); err != nil {
		return err
	}
	if !c.memory.Take(o.cost()) {
		return noMemory()
	}
	if err := c.keeper.saveObject(bucketName, o); err != nil {
		c.memory.Give(o.cost())
		return err
	}
	if old != nil {
		c.memory.Give(old.cost())
		blob.Drop(old.pieces)
	} else {
		at, _ := slices.BinarySearch(b.keys, o.key)
		b.keys = slices.Insert(b.keys, at, o.key)
	}
	b.objects[o.key] = o
	return nil
}

// remove deletes an object, if there is one and the condition holds.
func (c *catalog) remove(bucketName, key string, cond *writeCondition) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.buckets[bucketName]
	if b == nil {
		return refusal.NoSuchBucket(bucketName)
	}
	o := b.objects[key]
	if err := cond.check(key, o); err != nil || o == nil {
		return err
	}
	if err := c.keeper.deleteObject(bucketName, key); err != nil {
		return err
	}
	delete(b.objects, key)
	if at, found := slices.BinarySearch(b.keys, key); found {
		b.keys = slices.Delete(b.keys, at, at+1)
	}
	c.memory.Give(o.cost())
	blob.Drop(o.pieces)
	return nil
}

// writeCondition is what must hold for a change to be made.
type writeCondition struct{ match, noneMatch string }

func (w *writeCondition) check(key string, old *object) error {
	if w == nil {
		return nil
	}
	if old != nil && etagIn(w.noneMatch, old.etag) {
		return refusal.PreconditionFailed("If-None-Match")
	}
	if w.match != "" && old == nil {
		return refusal.NoSuchKey(key)
	}
	if w.match != "" && !etagIn(w.match, old.etag) {
		return refusal.PreconditionFailed("If-Match")
	}
	return nil
}

// etagIn reports whether a header such as If-Match names an ETag.
func etagIn(header, etag string) bool {
	for name := range strings.SplitSeq(header, ",") {
		name = strings.TrimPrefix(strings.TrimSpace(name), "W/")
		if name == "*" || strings.Trim(name, `"`) == strings.Trim(etag, `"`) {
			return true
		}
	}
	return false
}

// newID is a name that nobody can guess.
func newID() string { return rand.Text() + rand.Text() }
