package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/store"
)

// Create begins a file.
func (s *webStore) Create(ctx context.Context, path string, size int64) (store.Writer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if size <= s.block {
		return store.NewPartWriter(ctx, whole{s, path}, s.slabs, size, s.block, s.block, 1), nil
	}
	return s.newStream(ctx, path, size), nil
}

// MakeAhead fills the memory of files that are sent whole.
func (s *webStore) MakeAhead(a store.Ahead) {
	if a.Size <= s.block {
		s.slabs.MakeAhead(a, s.block, s.block, 1)
	}
}

// whole sends a file that fits into one block.
type whole struct {
	s    *webStore
	path string
}

// PutWhole is one PUT, from memory.
func (w whole) PutWhole(ctx context.Context, p *store.Part) error {
	r := request{method: http.MethodPut, path: w.path, part: p, reached: new(atomic.Bool)}
	resp, err := w.s.send(ctx, r)
	if err == nil {
		store.Discard(resp)
		return nil
	}
	if r.reached.Load() && unclear(err) {
		err = errors.Join(err, w.s.clean(context.WithoutCancel(ctx), w.path))
	}
	return err
}

// There are no parts: a file of several blocks is streamed.

func (w whole) Begin(context.Context) error                { return errNoParts }
func (w whole) PutPart(context.Context, *store.Part) error { return errNoParts }
func (w whole) Complete(context.Context, int) error        { return errNoParts }
func (w whole) Abort(context.Context) error                { return nil }

var errNoParts = errors.New("plain HTTP does not support parts")

// unclear reports whether something of the file may be on the server after this error of a PUT.
func unclear(err error) bool {
	code := statusOf(err)
	return code == 0 && store.CauseOf(err) != redirected || code >= 500 || code == http.StatusRequestTimeout
}

// clean deletes what is left of a PUT that was given up. The server may still be about to make
// it of what the connection brought, or make it again (WsgiDAV makes an empty file and then opens
// it by its name): it is looked for until it was found and then was not, or for about a second.
func (s *webStore) clean(ctx context.Context, path string) error {
	deleted := false
	for pause := s.pause; ; pause *= 3 {
		found, err := s.look(ctx, path, deleted)
		if err != nil {
			return fmt.Errorf("a partial file may be left behind: %w", err)
		}
		if deleted && !found || pause > 10*s.pause {
			return nil
		}
		deleted = deleted || found
		if !backoff.Sleep(ctx, pause) {
			return ctx.Err()
		}
	}
}

// look deletes a file if it is there, and says whether it was. A server that has answered once is not waited for as
// long again.
func (s *webStore) look(ctx context.Context, path string, again bool) (bool, error) {
	if again {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 20*s.pause)
		defer cancel()
	}
	return s.remove(ctx, path)
}
