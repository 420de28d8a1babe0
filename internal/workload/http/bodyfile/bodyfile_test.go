package bodyfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

const size = 100_000

func content() []byte { return bytes.Repeat([]byte("0123456789"), size/10) }

// open is a file that is as it was, and where it is.
func open(t *testing.T) (*Set, *File, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(name, content(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Set{}
	t.Cleanup(s.Close)
	f, err := s.Open(&script.File{Name: name, Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return s, f, name
}

// What was read in pieces is the file, and is counted where that is asked for.
func TestRead(t *testing.T) {
	s, f, name := open(t)
	if again, err := s.Open(&script.File{Name: name, Size: size}); again != f || err != nil {
		t.Errorf("it is open twice: %v", err)
	}
	if none, err := s.Open(nil); none != nil || err != nil {
		t.Error(none, err)
	}
	for _, counted := range []bool{false, true} {
		var got []byte
		for piece := make([]byte, 64<<10); len(got) < size; {
			n, why := f.Read(piece, int64(len(got)), counted)
			if why != nil {
				t.Fatal(why)
			}
			got = append(got, piece[:n]...)
		}
		if !bytes.Equal(got, content()) {
			t.Error("it is another text")
		}
		d := s.Document()[0]
		if d.Name != name || d.SizeBytes != size || (d.ReadBytes == size) != counted || (d.ReadNS > 0) != counted ||
			d.LongestReadNS > d.ReadNS {
			t.Errorf("counted %v: %+v", counted, d)
		}
	}
}

func TestCount(t *testing.T) {
	s, f, _ := open(t)
	for _, took := range []int64{3, 7, 5} {
		f.count(10, took)
	}
	if d := s.Document()[0]; d.ReadBytes != 30 || d.ReadNS != 15 || d.LongestReadNS != 7 {
		t.Errorf("%+v", d)
	}
}

// What becomes of the file has its cause, which trying again does not help.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		change      func(f *File, name string) error
		check, read string // the causes of either; "": none
	}{
		"as it was":    {func(*File, string) error { return nil }, "", ""},
		"gone":         {func(_ *File, name string) error { return os.Remove(name) }, fileGone, ""}, // who has it open reads on
		"another name": {func(_ *File, name string) error { return os.Link(name, name+"2") }, "", ""},
		"moved":        {func(_ *File, name string) error { return os.Rename(name, name+"2") }, "", ""},
		"shrunk":       {func(_ *File, name string) error { return os.Truncate(name, size-1) }, fileShrunk, fileShrunk},
		"empty":        {func(_ *File, name string) error { return os.Truncate(name, 0) }, fileShrunk, fileShrunk},
		"grown":        {func(_ *File, name string) error { return os.Truncate(name, size+1) }, fileChanged, ""},
		"unreadable":   {func(f *File, _ string) error { return f.file.Close() }, fileUnreadable, fileUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			_, f, path := open(t)
			if err := c.change(f, path); err != nil {
				t.Fatal(err)
			}
			is := func(what string, why *op.Failure, cause string) {
				switch {
				case cause == "" && why != nil:
					t.Errorf("%s: %+v", what, why)
				case cause != "" && (why == nil || why.Cause != cause || !why.Final || !strings.Contains(why.Err.Error(), path)):
					t.Errorf("%s: %+v, want %s", what, why, cause)
				}
			}
			is("check", f.Check(), c.check)
			_, why := f.Read(make([]byte, 10), size-10, false)
			is("read", why, c.read)
		})
	}
}

// A file that is not what was looked at, or that is not there, is refused before the run.
func TestOpenRefuses(t *testing.T) {
	_, _, name := open(t)
	for want, from := range map[string]*script.File{
		"cannot open the body file":       {Name: name + "2", Size: size},
		"changed while it was being read": {Name: name, Size: size + 1},
	} {
		s := &Set{}
		if f, err := s.Open(from); f != nil || err == nil || !strings.Contains(err.Error(), want) || s.Document() != nil {
			t.Errorf("%v, %v", f, err)
		}
	}
}
