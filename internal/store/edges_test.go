package store

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/throughput"
)

// The words of causes are those of reports and of documents, of earlier ones too.
func TestWordsOfCauses(t *testing.T) {
	got := []string{NoBucket, WrongRegion, ClockSkew, TooSmall, Corrupt, Changed, Truncated, Other}
	want := []string{"no-such-bucket", "wrong-region", "clock-skew", "too-small", "corrupt", "changed", "truncated", "other"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("x509: certificate signed by unknown authority"), TLS},
		{errors.New("http: server gave HTTP response to HTTPS client"), TLS},
	} {
		if got := CauseOf(c.err); got != c.want {
			t.Errorf("%v: %s (%s), want %s", c.err, got, cause.Of(c.err), c.want)
		}
	}
}

// What an error is about is told once, a file that is not there is no error of looking for it or removing it, and a caller
// who has left is told that.
func TestWhatAnErrorIsAbout(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	no, broken, odd := Fail(NoFile, "no"), Fail(Corrupt, "broken").WithHint("repair it"), errors.New("odd")
	if err := Explained(t.Context(), "part 3", fmt.Errorf("again: %w", broken)); err == nil || err.Error() != "part 3: broken" ||
		CauseOf(err) != Corrupt || !errors.Is(err, broken.Err) {
		t.Errorf("%v", err)
	} else if known := (*Error)(nil); !errors.As(err, &known) || known.Hint != "repair it" {
		t.Errorf("%+v", known)
	}
	if err := Explained(t.Context(), "part 3", odd); err != nil {
		t.Errorf("what is left to find out is %v", err)
	}
	if err := Explained(gone, "part 3", broken); err != context.Canceled {
		t.Errorf("of who has left: %v", err)
	}
	for _, c := range []struct {
		err   error
		found bool
		want  error
	}{{nil, true, nil}, {no, false, nil}, {broken, false, broken}, {odd, false, odd}} {
		if found, err := Found(c.err); found != c.found || err != c.want {
			t.Errorf("%v: found %v, %v", c.err, found, err)
		}
		if err := Gone(c.err); err != c.want {
			t.Errorf("%v: gone with %v", c.err, err)
		}
	}
}

// Ten attempts are kept, of equal ones those that came first, and none that is shorter than all of them.
func TestTheLongestOfAFew(t *testing.T) {
	var l Longest
	for i := range 10 {
		l.add(AboutPart(t.Context(), i), Slow{Took: time.Duration(10 + i)})
	}
	l.add(AboutPart(t.Context(), 10), Slow{Took: 10})
	l.add(AboutPart(t.Context(), 11), Slow{Took: 9})
	if list := l.sorted(); len(list) != 10 || list[9] != (Slow{Of: "part 0", Took: 10}) || list[0] != (Slow{Of: "part 9", Took: 19}) {
		t.Error(list)
	}
	l.add(t.Context(), Slow{Took: 11})
	if list := l.sorted(); len(list) != 10 || list[9].Took != 11 || list[8].Took != 11 || list[7].Took != 12 {
		t.Error(list)
	}
	if list := (Longest{}).sorted(); len(list) != 0 {
		t.Error(list)
	}
}

// Times are told apart to three digits up to an hour, from nothing on; the one in the middle is the median.
func TestTimesAndTheirMedian(t *testing.T) {
	var f Figures
	if middle, n := f.Median(); middle != 0 || n != 0 {
		t.Errorf("of none %v of %d", middle, n)
	}
	whole := &f.Times[StageWhole]
	for _, took := range []time.Duration{time.Hour, -1, 2 * time.Hour} {
		whole.add(took)
	}
	if h := whole.Histogram; h.TotalCount() != 3 || h.Max() < int64(time.Hour) || h.Max() > int64(time.Hour+4*time.Second) || h.Min() != 0 ||
		whole.Min != -1 || whole.Max != 2*time.Hour || whole.Sum != 3*time.Hour-1 {
		t.Errorf("%v to %v, %v in all", whole.Min, whole.Max, whole.Sum)
	}
	if longestTime != time.Hour {
		t.Errorf("the longest time is %v", longestTime)
	}
	f = Figures{}
	for _, took := range []time.Duration{5 * time.Second, 1, time.Hour} {
		f.Times[StageWhole].add(took)
	}
	if middle, n := f.Median(); n != 3 || middle < 4995*time.Millisecond || middle > 5005*time.Millisecond {
		t.Errorf("%v of %d", middle, n)
	}
}

// Tries in a row are bounded, and 8 MiB that came in between begin another row.
func TestTriesInARow(t *testing.T) {
	tries := Tries{Most: 2}
	for i, c := range []struct {
		at int64
		n  int
		ok bool
	}{
		{0, 0, true}, {1, 1, true}, {2, 0, false}, {2 + 8<<20 - 1, 0, false}, {2 + 16<<20 - 1, 0, true}, {2 + 16<<20 - 1, 1, true},
		{2 + 16<<20, 0, false}, {2 + 24<<20, 0, true},
	} {
		if n, ok := tries.Next(c.at); n != c.n || ok != c.ok {
			t.Errorf("loss %d, at byte %d: %d, %v", i, c.at, n, ok)
		}
	}
	if n, ok := (&Tries{}).Next(1 << 30); n != 0 || ok {
		t.Errorf("without tries: %d, %v", n, ok)
	}
}

// A file in parts has those on their way, and those that two blocks touch.
func TestPiecesOfAFile(t *testing.T) {
	for _, c := range []struct {
		part, block int64
		active      int
		want        int
	}{{8, 8, 0, 4}, {8, 1, 0, 4}, {8, 9, 0, 6}, {8, 16, 3, 9}, {8, 17, 3, 11}, {1, 1, 1, 5}} {
		if got := piecesOf(c.part, c.block, c.active); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// An object that is not there is looked for once more, unless nobody waits for it.
func TestUndoForNobody(t *testing.T) {
	if lateness != 500*time.Millisecond {
		t.Errorf("an object is late after %v", lateness)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), lateness-1)
		defer cancel()
		looks := 0
		err := Undo(ctx, func(context.Context) (func(context.Context) error, error) { looks++; return nil, nil })
		if !errors.Is(err, context.DeadlineExceeded) || looks != 1 {
			t.Errorf("%v after %d looks", err, looks)
		}
		if err := Undo(t.Context(), func(context.Context) (func(context.Context) error, error) {
			return nil, Fail(NoCredentials, "no")
		}); err != nil {
			t.Error(err)
		}
		odd := errors.New("odd")
		if err := Undo(t.Context(), func(context.Context) (func(context.Context) error, error) {
			return func(context.Context) error { return odd }, nil
		}); err != odd {
			t.Error(err)
		}
	})
}

// The authorities of a file are trusted alone, or beside those that are anyway, and what is not trusted has a hint.
func TestWhoIsTrusted(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, insecure := range []bool{false, true} {
		c, authorities, err := Trust(file, insecure)
		if err != nil || c.InsecureSkipVerify != insecure || string(authorities) != string(text) || c.MinVersion != 0x303 {
			t.Fatalf("%+v, %q, %v", c, authorities, err)
		}
		if _, err := server.Certificate().Verify(x509.VerifyOptions{Roots: c.RootCAs}); err != nil {
			t.Error(err)
		}
	}
	if c, authorities, err := Trust("", true); c.RootCAs != nil || authorities != nil || err != nil || c.MinVersion != 0x303 {
		t.Errorf("%+v, %q, %v", c, authorities, err)
	}
	mine := x509.NewCertPool()
	for _, anyway := range []*x509.CertPool{nil, mine} {
		c := TrustBeside(anyway, text)
		if _, err := server.Certificate().Verify(x509.VerifyOptions{Roots: c.RootCAs}); err != nil || c.MinVersion != 0x303 {
			t.Error(err)
		}
	}
	if !mine.Equal(x509.NewCertPool()) {
		t.Error("what is trusted anyway has changed")
	}
	for want, err := range map[string]error{
		"by --ca FILE": x509.UnknownAuthorityError{}, "a name that the server's certificate is for": x509.HostnameError{},
		"has to be replaced": x509.CertificateInvalidError{}, "": errors.New("odd"),
	} {
		if got := TrustHint(fmt.Errorf("connecting: %w", err)); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%T: %q", err, got)
		}
	}
}

// A rate is of the attempts that have one; an attempt failed by its status, or by its end where nobody cut it off.
func TestRatesAndFailures(t *testing.T) {
	var r Rate
	r.add(100, 0, true)
	r.add(100, -1, true)
	r.add(100, 50, false)
	if perS, ok := r.PerSecond(); perS != 0 || ok || r != (Rate{}) {
		t.Errorf("%v, %v of %+v", perS, ok, r)
	}
	r.add(100, 50, true)
	r.add(300, 100, true)
	if perS, ok := r.PerSecond(); perS != 80 || !ok || r != (Rate{2, 400, 5 * time.Second}) {
		t.Errorf("%v, %v of %+v", perS, ok, r)
	}
	if _, ok := (Rate{Attempts: 1, Bytes: 1}).PerSecond(); ok {
		t.Error("no time has a rate")
	}
	odd := errors.New("odd")
	for _, c := range []struct {
		status int
		err    error
		cutOff bool
		want   bool
	}{
		{200, nil, false, false}, {399, nil, false, false}, {400, nil, false, true}, {400, nil, true, true}, {200, odd, false, true},
		{200, odd, true, false}, {0, nil, false, true}, {0, nil, true, false}, {500, odd, true, true},
	} {
		if got := failed(&throughput.Timeline{Status: c.status, Err: c.err}, c.cutOff); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
