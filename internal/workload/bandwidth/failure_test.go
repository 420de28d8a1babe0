package bandwidth

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// doubtful is a lab whose calls of one name do their work, and whose answers are lost.
func doubtful(name string, answer error) *lab {
	l := newLab()
	l.late = name
	l.fail = func(call string, _ int) error {
		if call == name {
			return answer
		}
		return nil
	}
	return l
}

func TestFileOfALostResponseIsDeleted(t *testing.T) {
	lost, refusal := store.Fail(store.Timeout, "no answer"), store.Fail(store.AccessDenied, "no")
	for _, test := range []struct {
		call            string
		answer          error
		keep, overwrite bool
		files, deleted  int
		noted           string
	}{
		{"close", lost, false, false, 0, 1, ""},
		{"close", lost, true, false, 0, 1, ""},
		{"close", lost, true, true, 1, 0, "/file may exist"},
		{"close", refusal, false, false, 1, 0, ""}, // what a store refuses it has not made
		{"rename", lost, false, false, 0, 2, ""},
		{"rename", lost, true, false, 2, 0, "/file.renamed may exist"},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := doubtful(test.call, test.answer)
			p := transferOf()
			p.Rename, p.Keep, p.Overwrite = true, test.keep, test.overwrite
			o := execute(t, l, p, WholeFile, nil)
			if len(l.files) != test.files || l.counts["delete"] != test.deleted {
				t.Errorf("%s: %d files are left, want %d; %d deletes, want %d",
					test.call, len(l.files), test.files, l.counts["delete"], test.deleted)
			}
			if notes := strings.Join(o.Notes, " "); !strings.Contains(notes, test.noted) ||
				(test.noted == "") != (notes == "") {
				t.Errorf("%s: notes: %q", test.call, notes)
			}
		})
	}
}

// TestFileThatCannotBeDeletedIsListed has a store that fails for good in the middle of a close.
func TestFileThatCannotBeDeletedIsListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := doubtful("close", nil)
		l.fail = func(call string, _ int) error {
			if call == "close" || call == "delete" {
				return store.Fail(store.Reset, "gone")
			}
			return nil
		}
		o := execute(t, l, transferOf(), WholeFile, nil)
		if len(o.Left) != 1 || o.Left[0] != "/file" || o.FailedAt != "close-upload" ||
			store.CauseOf(o.Failure) != store.Reset {
			t.Errorf("left %v, failed at %s: %v", o.Left, o.FailedAt, o.Failure)
		}
	})
}

// TestFilesCutOffByInterruptFail: a file that was begun is complete or failed, and one that was
// cut off has no time of its own.
func TestFilesCutOffByInterruptFail(t *testing.T) {
	for _, test := range []struct {
		name           string
		stop           time.Duration
		up, down       int64 // failed
		files, fetched int64
	}{
		{"between two blocks that are written", 480 * time.Millisecond, 1, 0, 0, 0},
		{"before the close", 1090 * time.Millisecond, 1, 0, 0, 0},
		{"in a close that takes longer than the drain", 2 * time.Second, 1, 0, 0, 0},
		{"between two blocks that are read", 11450 * time.Millisecond, 0, 1, 1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab()
			l.create, l.write, l.close, l.open, l.read = 100*time.Millisecond, 100*time.Millisecond, 10*time.Second,
				100*time.Millisecond, 100*time.Millisecond
			stop := make(chan struct{})
			time.AfterFunc(test.stop, func() { close(stop) })
			o := execute(t, l, transferOf(), WholeFile, stop)
			if o.Upload.Failed != test.up || o.Upload.Files != test.files || o.Download.Failed != test.down ||
				o.Download.Files != test.fetched {
				t.Errorf("%s: %+v, %+v", test.name, o.Upload, o.Download)
			}
			for _, f := range []Transfer{o.Upload, o.Download} {
				if f.Files == 0 &&
					(f.Duration != 0 || f.StreamTime != 0 || f.CloseTime != 0 || f.OpenTime != 0 || f.DataTime != 0) {
					t.Errorf("%s: what was cut off has times: %+v", test.name, f)
				}
			}
			if len(l.files) != 0 {
				t.Errorf("%s: files are left", test.name)
			}
		})
	}
}

// TestTimedOutBlockCountsInResponseTimes: it took at least as long as it was waited for; a refusal took
// no time of the store's.
func TestTimedOutBlockCountsInResponseTimes(t *testing.T) {
	for why, counted := range map[string]int64{store.Timeout: 1, store.AccessDenied: 0} {
		synctest.Test(t, func(t *testing.T) {
			o := execute(t, doubtful("close", store.Fail(why, "no")), transferOf(), WholeFile, nil)
			for _, op := range o.doc.Operations {
				if op.Name == "close-upload" && (op.Failed != 1 || op.ResponseTime.Count != counted) {
					t.Errorf("%s: %d failed, %d in the response times", why, op.Failed, op.ResponseTime.Count)
				}
			}
		})
	}
}

// A file that came back with another length is not what was written, whatever its first bytes are.
func TestFileOfAnotherLengthIsAMismatch(t *testing.T) {
	for _, policy := range []Policy{WholeFile, Random, Vector, Prefetch} {
		for _, change := range []func([]byte) []byte{
			func(b []byte) []byte { return append(b, 'x') },
			func(b []byte) []byte { return b[:len(b)-1] },
		} {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				l.fail = func(call string, _ int) error {
					if call == "open" {
						for path, data := range l.files {
							l.files[path] = change(data)
						}
					}
					return nil
				}
				o := execute(t, l, transferOf(), policy, nil)
				if got := o.Check.Mismatch(1, ""); !strings.Contains(got, "bytes") {
					t.Errorf("%s: %q", policy, got)
				}
			})
		}
	}
}
