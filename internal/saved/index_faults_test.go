package saved

import (
	"bytes"
	"fmt"
	"os"

	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/outfile/outfiletest"
)

// TestTheIndexOnADiskThatFails has each call fail in which the index is added to and written anew. A list says the same
// whatever became of it, its directory has nothing but the runs and the index, and the next list on a disk that works
// makes it whole again.
func TestTheIndexOnADiskThatFails(t *testing.T) {
	writing := func(call string) bool { return call == "write" }
	faults := map[string]outfiletest.Fault{
		"error":      {Err: syscall.EIO},
		"full":       {Err: syscall.ENOSPC, After: true, Can: func(call string) bool { return call != "remove" }},
		"half":       {Err: syscall.EDQUOT, Short: true, Can: writing},
		"half, mute": {Short: true, Can: writing},
		"read-only":  {Err: syscall.EROFS, After: true, Can: func(call string) bool { return call != "remove" }},
	}
	// Three runs, each listed after it was saved: so each is added. Then lines that say nothing have it written anew.
	do := func(t *testing.T, on outfile.Files) *Runs {
		s := &Runs{Dir: t.TempDir(), Files: on}
		for i := range 3 {
			write(t, s.Path(idAt(i)), aRun(idAt(i), i+1))
			if got := len(list(t, s)); got != i+1 {
				t.Errorf("%d runs are listed of %d", got, i+1)
			}
		}
		stale := bytes.Repeat([]byte("1\n"), mostStale+1)
		if err := (outfile.Files{}).Append(s.index(), append([]byte("\n"), stale...)); err != nil {
			t.Fatal(err)
		}
		list(t, s)
		return s
	}
	plain := &outfiletest.Faulty{}
	whole := do(t, outfile.On(plain))
	if known, stale := whole.readIndex(); len(known) != 3 || stale != 0 || len(plain.Calls()) < 12 {
		t.Fatalf("without a fault: %d known, %d stale, %q", len(known), stale, plain.Calls())
	}
	wanted := brief(list(t, whole))
	for name, how := range faults {
		for n := 1; n <= len(plain.Calls()); n++ {
			t.Run(fmt.Sprint(name, " at ", n, " ", plain.Calls()[n-1]), func(t *testing.T) {
				at := &outfiletest.Faulty{Fault: how, At: n}
				s := do(t, outfile.On(at))
				if diff := cmp.Diff(wanted, brief(list(t, s))); diff != "" {
					t.Errorf("after %s the list is another one: %s", at.Hit(), diff)
				}
				s.Files = outfile.Files{}
				list(t, s)
				if known, stale := s.readIndex(); len(known) != 3 || stale > mostStale+3 {
					t.Errorf("after %s, on a disk that works: %d are known, %d lines are stale", at.Hit(), len(known), stale)
				}
				entries, err := os.ReadDir(s.Dir)
				if err != nil || len(entries) != 4 {
					t.Errorf("after %s there are %v, %v", at.Hit(), entries, err)
				}
			})
		}
	}
}
