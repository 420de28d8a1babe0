package hdfs

import (
	"context"
	"errors"
	"os"
	"path"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/store"
)

// piece is how much is handed to the library at once: a packet of its, so that it need not
// keep a whole block of the caller beside the caller's own.
const piece = 64 << 10

// writer writes one file.
type writer struct {
	*store.Blocks
	store   *Store
	session *session
	file    *hdfs.FileWriter
	path    string
	over    bool
}

// Create begins a file. Its directory must be there.
func (s *Store) Create(ctx context.Context, p string, size int64) (store.Writer, error) {
	p = clean(p)
	w := &writer{store: s, path: p}
	w.Blocks = store.NewBlocks(ctx, store.BlockPlan{Name: p, Size: size, Block: s.block, Put: w.put})
	var err error
	w.session, err = s.beginInSession(ctx, "creating "+p, func(x *session) (err error) {
		w.file, err = s.create(x, p)
		return err
	})
	if store.CauseOf(err) == store.NoFile {
		return nil, store.Fail(store.NoBucket, "%w", err).WithHint("run 'hdfs dfs -mkdir -p %s'", path.Dir(p))
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

// create replaces a file, in two steps: the library knows no other way.
func (s *Store) create(x *session, p string) (*hdfs.FileWriter, error) {
	f, err := x.client.CreateFile(p, s.replication, s.blockSize, 0o644)
	if !errors.Is(err, os.ErrExist) {
		return f, err
	}
	if err := remove(x, p); err != nil {
		return nil, err
	}
	return x.client.CreateFile(p, s.replication, s.blockSize, 0o644)
}

// failure is why the block that is being written cannot be any more.
func (w *writer) failure() error {
	w.session.mu.Lock()
	p := w.session.pipe
	w.session.mu.Unlock()
	if p == nil {
		return nil
	}
	return p.failure()
}

// run calls the library, whose own errors may come late.
func (w *writer) run(ctx context.Context, doing string, call func() error) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if w.over {
		return store.Fail(store.Other, "%s %s: the file is closed or was aborted", doing, w.path)
	}
	defer w.session.bind(ctx)()
	err := w.session.guard(call)
	if failed := w.failure(); failed != nil {
		err = failed
	}
	return w.session.explain(err, doing+" "+w.path)
}

// put hands a block to the library packet by packet. It waits when several packets are not
// acknowledged, and at the end of each block of HDFS.
func (w *writer) put(ctx context.Context, block []byte, _ int64) error {
	return w.run(ctx, "writing", func() error {
		for rest := block; len(rest) > 0; {
			k, err := w.file.Write(rest[:min(piece, len(rest))])
			if err == nil {
				err = w.failure()
			}
			if err != nil {
				return err
			}
			rest = rest[k:]
			w.session.moved()
		}
		return nil
	})
}

// Flush sends what was written. A hard one is Hadoop's hflush: it waits until all datanodes
// of the pipeline have it in memory, where new readers see it; not until it is on their disks.
func (w *writer) Flush(ctx context.Context, hard bool) error {
	return w.run(ctx, "flushing", func() error {
		if err := w.file.Flush(); err != nil || !hard {
			return err
		}
		return w.acknowledged(ctx)
	})
}

// acknowledged waits for the acknowledgements of all packets.
func (w *writer) acknowledged(ctx context.Context) error {
	w.session.mu.Lock()
	p := w.session.pipe
	w.session.mu.Unlock()
	if p == nil {
		return nil // nothing was sent yet
	}
	if p.blind {
		return store.Fail(store.Unsupported,
			"hflush: the connection to the datanodes is encrypted, so their acknowledgements cannot be seen").
			WithHint("remove --hflush, or use --flush")
	}
	for {
		unacked, changed, err := p.state()
		if err != nil || unacked <= 0 {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Close waits for the datanodes and completes the file.
func (w *writer) Close(ctx context.Context) error {
	err := w.run(ctx, "closing", func() error {
		if err := w.Complete(); err != nil {
			return err
		}
		return w.complete(ctx)
	})
	if err != nil {
		return errors.Join(err, w.Abort(context.WithoutCancel(ctx)))
	}
	w.over = true
	w.Stop(nil)
	w.store.give(w.session)
	return nil
}

// complete closes the file. The namenode refuses as long as it has not heard from enough
// datanodes; then it is asked again, as Hadoop's client does.
func (w *writer) complete(ctx context.Context) error {
	pauses := backoff.Between{First: 20 * time.Millisecond, Last: time.Second}
	end := time.Now().Add(w.store.config.timeout)
	for try := 0; ; try++ {
		err := w.file.Close()
		if !hdfs.IsErrReplicating(err) {
			return err
		}
		if time.Now().After(end) {
			return store.Fail(store.Timeout, "closing %s: the datanodes did not report the last block", w.path)
		}
		if !pauses.Wait(ctx, try) {
			return context.Cause(ctx)
		}
	}
}

// Abort ends the connections to the datanodes and removes the file.
func (w *writer) Abort(ctx context.Context) error {
	if w.over {
		return nil
	}
	w.over = true
	w.Stop(errAborted)
	w.session.end(errAborted)
	// With its connections gone, the library's Close fails before it completes the file; but
	// it ends the goroutines of the block.
	_ = w.session.guard(w.file.Close)
	w.session.close()
	return w.store.Delete(ctx, w.path)
}

var errAborted = errors.New("the upload was aborted")
