package sftp

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/storetest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// block is longer than two packets.
const block = 80000

func TestConformance(t *testing.T) {
	for name, start := range map[string]func(*testing.T) string{
		"sftp-server": func(t *testing.T) string {
			a := newAccount(t)
			address := server{account: a, command: []string{sftpServer(t)}}.start(t)
			a.trust(t, address)
			return address
		},
		"sshd": func(t *testing.T) string {
			a := newAccount(t)
			address := sshd(t, a)
			a.trust(t, address)
			return address
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustOpen(t, start(t))
			dir := t.TempDir()
			storetest.Run(t, s, dir, block)
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
			if d := s.Describe(); !strings.HasPrefix(d.Integrity, "SSH in transit (aes") {
				t.Error(d.Integrity)
			}
		})
	}
}

// mustFail checks an error, with ADDRESS and DIR for what differs.
func mustFail(t *testing.T, replace []string, err error, cause, message, hint string) {
	t.Helper()
	var known *store.Error
	if !errors.As(err, &known) {
		t.Errorf("%v is no store.Error", err)
		return
	}
	r := strings.NewReplacer(replace...)
	if diff := cmp.Diff([]string{cause, message, hint},
		[]string{known.Cause, r.Replace(err.Error()), r.Replace(known.Hint)}); diff != "" {
		t.Error(diff)
	}
}

func put(ctx context.Context, s store.Store, path string, size int64) error {
	w, err := s.Create(ctx, path, size)
	if err != nil {
		return err
	}
	for left := size; left > 0; {
		n := int(min(left, block))
		if _, err := w.Reserve(ctx, n); err != nil {
			return errors.Join(err, w.Abort(context.WithoutCancel(ctx)))
		}
		if err := w.Write(ctx, n); err != nil {
			return errors.Join(err, w.Abort(context.WithoutCancel(ctx)))
		}
		left -= int64(n)
	}
	return w.Close(ctx)
}
