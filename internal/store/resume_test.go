package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// flaky is a file whose connections bring so many bytes each, and are lost then.
type flaky struct {
	content string
	brings  []int // the last one: of all that follow
	why     error
	refuses error // the second time that it is opened, and from then on
	opened  []int64
	rested  []int
	bodies  int // that were closed
}

func (f *flaky) from(_ context.Context, at int64) (io.ReadCloser, error) {
	f.opened = append(f.opened, at)
	if len(f.opened) > 1 && f.refuses != nil {
		return nil, f.refuses
	}
	n := f.brings[min(len(f.opened), len(f.brings))-1]
	rest := f.content[at:]
	if n >= len(rest) {
		return body{strings.NewReader(rest), f}, nil
	}
	return body{io.MultiReader(strings.NewReader(rest[:n]), failing{f.why}), f}, nil
}

type body struct {
	io.Reader
	of *flaky
}

func (b body) Close() error { b.of.bodies++; return nil }

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func (f *flaky) resume(tries int, r *Requests) Resume {
	return Resume{
		Size: int64(len(f.content)), Tries: tries, Requests: r, From: f.from,
		Lost: func(err error) bool { return CauseOf(err) == Reset },
		Rest: func(ctx context.Context, n int, _ error) error { f.rested = append(f.rested, n); return ctx.Err() },
	}
}

// A stream resumes where it was lost, up to the allowed number of tries in a row, and counts the tries.
func TestResume(t *testing.T) {
	lost := Fail(Reset, "the line went dead")
	long := strings.Repeat("x", 3*steady)
	for _, c := range []struct {
		name     string
		f        flaky
		tries    int
		read     int
		cause    string // "" for the end of the file
		opened   []int64
		rested   []int
		reopened map[string]int64
	}{
		{"never lost", flaky{content: "0123456789", brings: []int{10}}, 3, 10, "", []int64{0}, nil, nil},
		{"twice", flaky{content: "0123456789", brings: []int{3, 4, 10}, why: lost}, 3, 10, "", []int64{0, 3, 7}, []int{0, 1},
			map[string]int64{Reset: 2}},
		{"no byte in between", flaky{content: "0123456789", brings: []int{3, 0, 10}, why: lost}, 3, 10, "", []int64{0, 3, 3},
			[]int{0, 1}, map[string]int64{Reset: 2}},
		{"too often in a row", flaky{content: "0123456789", brings: []int{1}, why: lost}, 2, 3, Reset, []int64{0, 1, 2},
			[]int{0, 1}, map[string]int64{Reset: 2}},
		{"not at all", flaky{content: "0123456789", brings: []int{1}, why: lost}, 0, 1, Reset, []int64{0}, nil, nil},
		{"a row ends where much has come", flaky{content: long, brings: []int{1, steady, steady, 9}, why: lost}, 1,
			1 + 2*steady + 9, Reset, []int64{0, 1, 1 + steady, 1 + 2*steady}, []int{0, 0, 0}, map[string]int64{Reset: 3}},
		{"something else", flaky{content: "0123456789", brings: []int{4}, why: Fail(Truncated, "shorter")}, 3, 4, Truncated,
			[]int64{0}, nil, nil},
		{"another file", flaky{content: "0123456789", brings: []int{4}, why: lost, refuses: Fail(Changed, "other")}, 3, 4,
			Changed, []int64{0, 4}, []int{0}, nil},
		{"a server that stays away", flaky{content: "0123456789", brings: []int{4}, why: lost,
			refuses: Fail(Reset, "away")}, 3, 4, Reset, []int64{0, 4, 4, 4}, []int{0, 1, 2}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var requests Requests
			s, err := c.f.resume(c.tries, &requests).Stream(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(s)
			if string(got) != c.f.content[:c.read] || CauseOf(err) != c.cause {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if n, err := s.Read(make([]byte, 1)); n > 0 || err == nil {
				t.Errorf("after its close: %d, %v", n, err)
			}
			for what, diff := range map[string]string{
				"opened": cmp.Diff(c.opened, c.f.opened), "rested": cmp.Diff(c.rested, c.f.rested),
				"counted": cmp.Diff(c.reopened, requests.Reopenings()),
			} {
				if diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
			opened := len(c.f.opened)
			if c.f.refuses != nil {
				opened = 1
			}
			if c.f.bodies != opened {
				t.Errorf("%d of %d connections were closed", c.f.bodies, opened)
			}
		})
	}
}

// A source that retries by itself is opened again only once.
func TestResumePersistent(t *testing.T) {
	f := flaky{content: "0123456789", brings: []int{4}, why: Fail(Reset, "dead"), refuses: Fail(Reset, "away")}
	r := f.resume(3, &Requests{})
	r.Persistent = true
	s, err := r.Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(s)
	if len(got) != 4 || CauseOf(err) != Reset || len(f.opened) != 2 {
		t.Errorf("%d bytes, %v, opened %d times", len(got), err, len(f.opened))
	}
}

// An error of resuming names the position and keeps its hint. The end of the context is returned as it is.
func TestResumeReportsPosition(t *testing.T) {
	f := flaky{content: "0123456789", brings: []int{4}, why: Fail(Reset, "dead"),
		refuses: Fail(Changed, "the file is another one").WithHint("use a path of your own")}
	s, err := f.resume(3, &Requests{}).Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, s)
	var known *Error
	if !errors.As(err, &known) || known.Hint != "use a path of your own" ||
		err.Error() != "the file is another one; it was resuming at byte 4 after reset" {
		t.Errorf("%v, %+v", err, known)
	}
	if _, again := s.Read(make([]byte, 1)); !errors.Is(again, err) {
		t.Errorf("the next read: %v", again)
	}

	ctx, cancel := context.WithCancel(t.Context())
	f = flaky{content: "0123456789", brings: []int{4}, why: Fail(Reset, "dead")}
	s, err = f.resume(3, &Requests{}).Stream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(&bytes.Buffer{}, s, 4); err != nil {
		t.Fatal(err)
	}
	r := s.(*resumed)
	r.Rest = func(context.Context, int, error) error { cancel(); return nil }
	r.From = func(ctx context.Context, _ int64) (io.ReadCloser, error) { return nil, Fail(Reset, "cut off") }
	if _, err := s.Read(make([]byte, 9)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
