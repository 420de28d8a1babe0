package gs

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/storage"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/store"
)

const (
	// partPrefix is where parts are, until they are composed.
	partPrefix = "plimsoll-parts/"
	// composed is how many objects the service composes at a time.
	composed = 32
)

// composite writes the parts of an object as objects of their own, and composes these.
type composite struct {
	s   *gs
	key string
	id  string // of this upload

	over atomic.Bool // the upload was given up

	mu      sync.Mutex
	objects map[string]bool // that were begun, and are not yet deleted
	late    bool            // a request was given up that the service may not be through with
}

func (s *gs) newComposite(key string) *composite {
	return &composite{s: s, key: key, id: rand.Text(), objects: map[string]bool{}}
}

// grace is how long a part that is no longer wanted may take to end: the service can still make
// an object of a request that was given up. One that was made after that is deleted a moment later.
const grace = 2 * time.Second

// put writes one object in one request that can be sent again.
func (c *composite) put(ctx context.Context, key, name string, p *store.Part) error {
	callCtx, attempts, retry := c.s.call(ctx, name)
	callCtx, cancel := context.WithCancel(callCtx)
	defer cancel()
	attempts.wanted = c.wanted
	size := int64(len(p.Bytes()))
	o := c.s.prepare(callCtx, key, c.id, size, retry)
	o.ChunkSize = int((size/chunkUnit + 1) * chunkUnit)
	_, err := o.Write(p.Bytes())
	if err != nil {
		cancel()
		_ = o.Close() // waits for the request
	} else {
		err = o.Close()
	}
	return c.s.fail(ctx, err, key)
}

// wanted reports whether a retry is: not when the upload was given up.
func (c *composite) wanted() bool { return !c.over.Load() }

// PutWhole writes the object in one request.
func (c *composite) PutWhole(ctx context.Context, p *store.Part) error {
	err := c.put(ctx, c.key, upload, p)
	if err == nil {
		return nil
	}
	return c.undone(ctx, err)
}

// undone gives the error of what would have made the object. The object may be there in spite
// of it, and is deleted then.
func (c *composite) undone(ctx context.Context, err error) error {
	if undo := c.s.undo(context.WithoutCancel(ctx), c.key, c.id); undo != nil {
		return fmt.Errorf("%w; the partial file could not be deleted: %w", err, undo)
	}
	return err
}

// Begin has nothing to do.
func (c *composite) Begin(context.Context) error { return nil }

// partName is the name of a part, or of parts composed: level 0 are the parts.
func (c *composite) partName(level, number int) string {
	return fmt.Sprintf("%s%s/%d-%06d", partPrefix, c.id, level, number)
}

// noteObject notes an object that has to be deleted in the end.
func (c *composite) noteObject(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects[name] = true
}

// PutPart writes a part. When the parts are given up, it lets those that are on their way end.
func (c *composite) PutPart(ctx context.Context, p *store.Part) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	patient, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		c.over.Store(true)
		time.AfterFunc(grace, cancel)
	})()
	name := c.partName(0, p.Number)
	c.noteObject(name)
	err := c.put(patient, name, "InsertPart", p)
	if patient.Err() != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.late = true
	}
	return err
}

// Complete composes the parts, by levels when there are many, and deletes them.
func (c *composite) Complete(ctx context.Context, parts int) error {
	names := make([]string, parts)
	for i := range names {
		names[i] = c.partName(0, i+1)
	}
	for level := 1; len(names) > composed; level++ {
		var next []string
		for from := 0; from < len(names); from += composed {
			name := c.partName(level, from/composed+1)
			c.noteObject(name)
			if err := c.compose(ctx, name, names[from:min(from+composed, len(names))]); err != nil {
				return err
			}
			next = append(next, name)
		}
		names = next
	}
	if err := c.compose(ctx, c.key, names); err != nil {
		return c.undone(ctx, err)
	}
	return c.Abort(ctx)
}

func (c *composite) compose(ctx context.Context, target string, names []string) error {
	callCtx, _, retry := c.s.call(ctx, "ComposeObject")
	sources := make([]*storage.ObjectHandle, len(names))
	for i, name := range names {
		sources[i] = c.s.object(name, retry)
	}
	composer := c.s.object(target, retry).ComposerFrom(sources...)
	composer.Metadata = map[string]string{mark: c.id}
	composer.ContentType = "application/octet-stream"
	_, err := composer.Run(callCtx)
	return c.s.fail(ctx, err, target)
}

// Abort deletes the parts. Where the service may make one after that, it does so twice.
func (c *composite) Abort(ctx context.Context) error {
	err := c.removeParts(ctx)
	if c.late && err == nil && backoff.Sleep(ctx, lateness) {
		err = c.removeParts(ctx)
	}
	return err
}

// lateness is how long the service may take to make an object of a request that was given up.
const lateness = 500 * time.Millisecond

// removeParts deletes the parts, a few at the same time.
func (c *composite) removeParts(ctx context.Context) error {
	c.mu.Lock()
	names := make(chan string, len(c.objects))
	for name := range c.objects {
		names <- name
	}
	close(names)
	c.mu.Unlock()
	failed := make(chan error, c.s.active)
	for range c.s.active {
		// goroutine: failed gets one value of each, and they are counted below.
		go func() {
			var first error
			for name := range names {
				if err := c.s.remove(ctx, name, storage.Conditions{}); err != nil && first == nil {
					first = err
				}
			}
			failed <- first
		}()
	}
	var err error
	for range c.s.active {
		if one := <-failed; one != nil {
			err = one
		}
	}
	return err
}
