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
	"time"
)

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
