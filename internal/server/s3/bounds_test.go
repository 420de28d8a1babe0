package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
	"github.com/plimsoll/plimsoll/internal/wake"
)

// A document is taken up to the size that those of its kind may have.
func TestLargestDocuments(t *testing.T) {
	s := serve(t, open)
	for target, most := range map[string]int64{
		"PUT /other": 64 << 10, "POST /plimsoll?delete": 2 << 20, "POST /plimsoll/k?uploadId=x": 4 << 20,
	} {
		for more, want := range map[int64]string{0: "400 IncompleteBody", 1: "400 MaxMessageLengthExceeded"} {
			text := fmt.Sprintf("%s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n<", target, most+more)
			if got := wire(t, s, text); got != want {
				t.Errorf("%s of %d bytes: %s, want %s", target, most+more, got, want)
			}
		}
	}
}

// Whose upload there is none of is told so before the part is asked for.
func TestPartsOfNoUpload(t *testing.T) {
	s := serve(t, open)
	for _, target := range []string{"/plimsoll/k?partNumber=1&uploadId=x", "/plimsoll/k?partNumber=1&uploadId="} {
		text := "PUT " + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
		if got := wire(t, s, text); got != "404 NoSuchUpload" {
			t.Errorf("%s: %s", target, got)
		}
	}
}

// What a body is to be is looked at before it is read, and what it was when it has been.
func TestWhatABodyIs(t *testing.T) {
	s := serve(t, open)
	const aws = "X-Amz-Content-Sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER\r\n" +
		"Content-Length: 9\r\nX-Amz-Decoded-Content-Length: "
	for _, c := range []struct{ request, headers, body, want string }{
		{"PUT /plimsoll/k", "Content-Length: 5368709120\r\n", "", "507 InsufficientStorage"},
		{"PUT /plimsoll/k", "Content-Length: 5368709121\r\n", "", "400 EntityTooLarge"},
		{"PUT /plimsoll/k", aws + "9223372036854775807\r\n", "", "400 EntityTooLarge"},
		{"PUT /plimsoll/k", aws + "9223372036854775808\r\n", "", "411 MissingContentLength"},
		{"POST /plimsoll?delete", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n", "411 MissingContentLength"},
		{"POST /plimsoll?delete", "Content-Length: 1\r\nContent-Md5: 1B2M2Y8AsgTpgAmY7PhCfg==\r\n", "x", "400 BadDigest"},
	} {
		if got := wire(t, s, c.request+" HTTP/1.1\r\nHost: x\r\n"+c.headers+"\r\n"+c.body); got != c.want {
			t.Errorf("%s, %q: %s, want %s", c.request, c.headers, got, c.want)
		}
	}
	for size, want := range map[int]error{0: nil, 1: nil, 2: nil, 3: io.ErrUnexpectedEOF, 4: io.ErrUnexpectedEOF} {
		if err := (&payload{src: strings.NewReader("ab")}).ReadInto(make([]byte, size)); err != want {
			t.Errorf("%d bytes of two: %v", size, err)
		}
	}
}

// A document names at most so many objects, or parts, and at least one; the numbers of parts rise.
func TestHowManyADocumentNames(t *testing.T) {
	for n, want := range map[int]string{0: "MalformedXML", 1: "", 1000: "", 1001: "MalformedXML"} {
		text := "<Delete>" + strings.Repeat("<Object><Key>k</Key></Object>", n) + "</Delete>"
		d, err := parseDelete([]byte(text))
		if got := codeOfRefusal(err); got != want || err == nil && len(d.Objects) != n {
			t.Errorf("%d objects: %s", n, got)
		}
	}
	if _, err := parseDelete([]byte("<Delete><Object><Key>k</Key></Object><Object></Object></Delete>")); err == nil {
		t.Error("an object has no key")
	}
	numbers := func(from, n int) (all []int) {
		for i := range n {
			all = append(all, from+i)
		}
		return all
	}
	for _, c := range []struct {
		parts []int
		want  string
	}{
		{nil, "MalformedXML"}, {numbers(1, 1), ""}, {numbers(1, 10000), ""}, {numbers(1, 10001), "MalformedXML"},
		{numbers(10000, 1), ""}, {numbers(10001, 1), "InvalidArgument"}, {numbers(0, 1), "InvalidArgument"},
		{numbers(-1, 1), "InvalidArgument"}, {[]int{2, 2}, "InvalidPartOrder"}, {[]int{2, 1}, "InvalidPartOrder"},
		{[]int{1, 3, 3}, "InvalidPartOrder"}, {[]int{1, 3, 2}, "InvalidPartOrder"}, {[]int{1, 3, 4}, ""},
	} {
		var text strings.Builder
		for _, n := range c.parts {
			fmt.Fprintf(&text, "<Part><PartNumber>%d</PartNumber><ETag>e</ETag></Part>", n)
		}
		d, err := parseCompletion([]byte("<CompleteMultipartUpload>" + text.String() + "</CompleteMultipartUpload>"))
		if got := codeOfRefusal(err); got != c.want || err == nil && len(d) != len(c.parts) {
			t.Errorf("%d parts, the last %v: %q, want %q", len(c.parts), c.parts[max(0, len(c.parts)-2):], got, c.want)
		}
	}
	for text, want := range map[string]int{"1": 1, "10000": 10000, "0": 0, "10001": 0, "-1": 0, "": 0, "x": 0, "0x1": 0} {
		n, err := partNumber(text)
		if n != want || (err == nil) != (want > 0) {
			t.Errorf("part %q is %d, %v", text, n, err)
		}
	}
}

// A part that is too small to be one before the last is told its size.
func TestSizesOfSmallParts(t *testing.T) {
	s := &Server{cfg: Default()}
	s.cfg.StrictPartSize = true
	x := &request{s: s}
	for size, want := range map[int64]string{1<<20 + 3: "1048579", 5<<20 - 1: "5242879", 5 << 20: ""} {
		u := &upload{parts: map[int]*part{7: {number: 7, size: size, etag: `"e"`}}}
		p, err := x.matchPart(u, &completedPart{PartNumber: 7, ETag: "e"}, false)
		switch {
		case want == "" && (err != nil || p != u.parts[7]):
			t.Errorf("%d bytes: %v", size, err)
		case want != "" && (codeOfRefusal(err) != "EntityTooSmall" || !err.Has("ProposedSize", want) ||
			!err.Has("MinSizeAllowed", "5242880") || !err.Has("PartNumber", "7")):
			t.Errorf("%d bytes: %+v", size, err)
		}
		if p, err := x.matchPart(u, &completedPart{PartNumber: 7, ETag: "e"}, true); p == nil || err != nil {
			t.Errorf("%d bytes at the end: %v", size, err)
		}
	}
}

// Each checksum of a part stands in an element of its own.
func TestChecksumsThatAreGiven(t *testing.T) {
	c := completedPart{ChecksumCRC32: "CRC32", ChecksumCRC32C: "CRC32C", ChecksumCRC64NVME: "CRC64NVME",
		ChecksumSHA1: "SHA1", ChecksumSHA256: "SHA256", ChecksumSHA512: "SHA512"}
	for i := range checksumKinds {
		if k := &checksumKinds[i]; c.given(k) != k.name {
			t.Errorf("%s is %q", k.name, c.given(k))
		}
	}
}

// What is kept in a directory is its owner's to write, and for everybody to read as far as the user's mask lets them.
func TestWhoMayReadADirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "mask"), 0o777); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "mask"))
	if err != nil {
		t.Fatal(err)
	}
	allowed := info.Mode().Perm()
	kept := filepath.Join(dir, "kept")
	s := serve(t, func(c *Config) { open(c); c.Dir = kept })
	raw(t, s, "PUT", "/plimsoll/k", "text")
	settle(s)
	seen := 0
	err = filepath.WalkDir(kept, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		seen++
		want := 0o644 & allowed
		if e.IsDir() {
			want = 0o755 & allowed
		}
		if got := info.Mode().Perm(); got != want && !strings.Contains(path, "lock") {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
		return nil
	})
	if err != nil || seen < 5 {
		t.Errorf("%d files, %v", seen, err)
	}
}

// patient is who gets an answer, and notes how long he may take for it.
type patient struct {
	*httptest.ResponseRecorder
	until   []time.Duration // from the beginning; below 0: for as long as he likes
	begun   time.Time
	flushed int
}

func (p *patient) Flush() { p.flushed++ }

func (p *patient) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		p.until = append(p.until, -1)
	} else {
		p.until = append(p.until, t.Sub(p.begun))
	}
	return nil
}

// Who takes an answer has the idle time for each piece of it, and when it is over none is running any more.
func TestHowLongAnAnswerMayTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{cfg: Default()}
		s.metrics = newMetrics(&s.data, &s.memory)
		v, err := blob.InMemory(&s.data, &s.memory)
		if err != nil {
			t.Fatal(err)
		}
		s.vault = v
		o := &object{pieces: append(held(t, v, 40_000), held(t, v, 5)...), size: 40_005}
		for _, c := range []struct {
			offset, size int64
			want         []time.Duration
		}{
			{0, 40_005, []time.Duration{time.Minute, time.Minute, -1}},
			{39_999, 2, []time.Duration{time.Minute, time.Minute, -1}},
			{1, 1, []time.Duration{time.Minute, -1}}, {40_004, 1, []time.Duration{time.Minute, -1}}, {0, 0, nil},
		} {
			w := &patient{ResponseRecorder: httptest.NewRecorder(), begun: time.Now()}
			x := &request{s: s, w: w, r: httptest.NewRequest(http.MethodGet, "/abc/k", nil), ctx: t.Context()}
			s.cfg.IdleTimeout = time.Minute
			if err := x.sendRun(o, c.offset, c.size); err != nil || int64(w.Body.Len()) != c.size {
				t.Errorf("%d bytes from %d: %d, %v", c.size, c.offset, w.Body.Len(), err)
			}
			if want := min(len(c.want), 1); w.flushed != want { // the head, before the data
				t.Errorf("%d bytes from %d: flushed %d times, want %d", c.size, c.offset, w.flushed, want)
			}
			if diff := cmp.Diff(c.want, w.until); diff != "" {
				t.Errorf("%d bytes from %d (-want +got):\n%s", c.size, c.offset, diff)
			}
		}
		blob.Drop(o.pieces)
		if err := v.Close(); err != nil || s.data.Used() != 0 {
			t.Errorf("%d bytes are left, %v", s.data.Used(), err)
		}
	})
}

// With a rate an answer leaves in pieces, each when it is its turn, until whoever takes it has left.
func TestAnAnswerAtARate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{cfg: Default()}
		s.metrics = newMetrics(&s.data, &s.memory)
		alarms := wake.NewPortable()
		defer alarms.Close()
		s.outbound = newPacer(1024, alarms) // 512 bytes at a time
		ctx, leave := context.WithCancel(t.Context())
		begun := time.Now()
		w := &patient{ResponseRecorder: httptest.NewRecorder(), begun: begun}
		x := &request{s: s, w: w, r: httptest.NewRequest(http.MethodGet, "/abc/k", nil), ctx: ctx}
		s.outbound.enter()
		if err := x.copy(bytes.NewReader(noise(1537)), 1537); err != nil || w.Body.Len() != 1537 || w.flushed != 4 {
			t.Errorf("%d bytes in %d pieces, %v", w.Body.Len(), w.flushed, err)
		}
		if took := time.Since(begun); took < 1500*time.Millisecond || took > 1502*time.Millisecond {
			t.Errorf("1537 bytes at 1024 a second took %v", took)
		}
		leave()
		if err := x.copy(bytes.NewReader(noise(10)), 10); err != errGone || w.Body.Len() != 1537 {
			t.Errorf("to whoever has left: %d bytes, %v", w.Body.Len(), err)
		}
		s.outbound.leave()
	})
}

// An answer without a body says so where one could be.
func TestLengthsOfEmptyAnswers(t *testing.T) {
	for _, c := range []struct {
		method string
		status int
		want   string
	}{
		{http.MethodPut, http.StatusOK, "0"}, {http.MethodDelete, http.StatusNoContent, ""},
		{http.MethodHead, http.StatusOK, ""}, {http.MethodGet, http.StatusNotModified, ""},
		{http.MethodPost, http.StatusBadRequest, "0"},
	} {
		w := httptest.NewRecorder()
		x := &request{s: &Server{cfg: Default()}, w: w, r: httptest.NewRequest(c.method, "/abc/k", nil), ctx: t.Context()}
		if err := x.answer(c.status); err != nil || w.Code != c.status || w.Header().Get("Content-Length") != c.want {
			t.Errorf("%+v: %d with the length %q, %v", c, w.Code, w.Header().Get("Content-Length"), err)
		}
	}
}

// Whoever leaves before the latency is over gets no answer.
func TestWhoLeavesBeforeTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{cfg: Default(), alarms: wake.NewPortable()}
		defer s.alarms.Close()
		s.cfg.Latency = time.Minute
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, c := range []struct {
			ctx  context.Context
			took time.Duration
			want error
		}{{ctx, time.Second, errGone}, {t.Context(), time.Minute, nil}} {
			begun := time.Now()
			x := &request{s: s, w: httptest.NewRecorder(), r: httptest.NewRequest(http.MethodGet, "/", nil), ctx: c.ctx,
				received: begun}
			err := x.writeHead(http.StatusOK)
			if err != c.want || time.Since(begun) != c.took || (x.status == 0) != (err != nil) {
				t.Errorf("%v after %v, status %d", err, time.Since(begun), x.status)
			}
		}
	})
}

// Nobody is told what went wrong who has left, or was cut off.
func TestWhoIsToldNothing(t *testing.T) {
	for what, c := range map[string]struct {
		gone bool
		err  error
	}{
		"who was cut off": {true, refusal.NoSuchKey("k")}, "who has left": {false, errGone}, "both": {true, errGone},
	} {
		s := &Server{cfg: Default()}
		s.metrics = newMetrics(&s.data, &s.memory)
		w := httptest.NewRecorder()
		x := &request{s: s, w: w, r: httptest.NewRequest(http.MethodGet, "/abc/k", nil), ctx: t.Context(), gone: c.gone}
		w.Header().Set("Etag", "kept")
		if x.fail(c.err); w.Body.Len() > 0 || x.status != 0 || w.Header().Get("Etag") != "kept" {
			t.Errorf("%s: status %d, %q", what, x.status, w.Body)
		}
	}
}

// What goes wrong in the server is logged, and no client's doing, nor what was asked for.
func TestWhatIsLogged(t *testing.T) {
	for what, c := range map[string]struct {
		err  error
		want int
	}{
		"a broken disk": {errors.New("odd"), 1}, "a body that ends early": {io.ErrUnexpectedEOF, 0},
		"no key":  {refusal.NoSuchKey("k"), 0},
		"a fault": {refusal.New(http.StatusInternalServerError, "InternalError", "We encountered an internal error."), 0},
	} {
		var log bytes.Buffer
		s := &Server{cfg: Default(), log: slog.New(slog.NewTextHandler(&log, nil))}
		s.metrics = newMetrics(&s.data, &s.memory)
		w := httptest.NewRecorder()
		x := &request{s: s, w: w, r: httptest.NewRequest(http.MethodGet, "/abc/k", nil), ctx: t.Context()}
		x.fail(c.err)
		if got := strings.Count(log.String(), "a request failed"); got != c.want || x.status < 400 || w.Body.Len() == 0 {
			t.Errorf("%s: logged %d times, status %d", what, got, x.status)
		}
	}
}

// What a request is about is a bucket, or an object in one.
func TestWhatARequestIsAbout(t *testing.T) {
	for want, x := range map[string]*request{
		"/": {key: "k"}, "/abc": {bucket: "abc"}, "/abc/k": {bucket: "abc", key: "k"}, "/abc//": {bucket: "abc", key: "/"},
	} {
		if got := x.resource(); got != want {
			t.Errorf("%q of %q: %s, want %s", x.key, x.bucket, got, want)
		}
	}
	if got := (&request{}).resource(); got != "/" {
		t.Errorf("of none: %s", got)
	}
}

// A body is on its way from when it is wanted to its end, and one of no bytes never.
func TestBodiesOnTheirWay(t *testing.T) {
	for size, want := range map[int64]int{0: 0, 1: 1, 2: 1, -1: 1} {
		s := &Server{cfg: Default(), inbound: newPacer(1024, nil)}
		r := httptest.NewRequest(http.MethodPut, "/abc/k", nil)
		r.ContentLength = size
		x := &request{s: s, r: r, ctx: t.Context()}
		x.body()
		if x.body(); s.inbound.active != want {
			t.Errorf("of %d bytes: %d are on their way", size, s.inbound.active)
		}
		x.endBody()
		if x.endBody(); s.inbound.active != 0 {
			t.Errorf("of %d bytes: %d are on their way in the end", size, s.inbound.active)
		}
	}
}

// deaf is who takes nothing.
type deaf struct{ http.ResponseWriter }

var errDeaf = errors.New("nobody listens")

func (deaf) Write([]byte) (int, error) { return 0, errDeaf }

// An answer that does not come to its end says so to whoever has to cut it off: its data is gone, or shorter, or nobody
// takes it.
func TestWhatEndsAnAnswer(t *testing.T) {
	corrupt := func(where float64) decision { return decision{corrupt: true, where: where} }
	for _, c := range []struct {
		name        string
		decision    decision
		gone, short int // the piece of three whose data is, from 1
		deaf        bool
		want        error // nil: any
		sent        int
	}{
		{"the first piece is gone", decision{}, 1, 0, false, fs.ErrNotExist, 0},
		{"the last piece is gone", decision{}, 3, 0, false, fs.ErrNotExist, 20},
		{"a piece is shorter", decision{}, 0, 2, false, io.EOF, 10}, {"nobody takes it", decision{}, 0, 0, true, errDeaf, 0},
		{"before a wrong byte", corrupt(0.5), 1, 0, false, fs.ErrNotExist, 0},
		{"where the wrong byte is", corrupt(0), 1, 0, false, fs.ErrNotExist, 0},
		{"the wrong byte is missing", corrupt(0), 0, 1, false, io.EOF, 0},
		{"nobody takes the wrong byte", corrupt(0), 0, 0, true, errDeaf, 0},
		{"behind a wrong byte", corrupt(0), 3, 0, false, fs.ErrNotExist, 20},
		{"before a reset", decision{reset: true}, 1, 0, false, fs.ErrNotExist, 0},
	} {
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := root.Mkdir(blob.DataDir, 0o755); err != nil {
			t.Fatal(err)
		}
		s := &Server{cfg: Default()}
		s.metrics = newMetrics(&s.data, &s.memory)
		s.vault = blob.InDirectory(root, &s.data)
		o := &object{size: 30}
		for range 3 {
			o.pieces = append(o.pieces, held(t, s.vault, 10)...)
		}
		if c.gone > 0 {
			if err := root.Remove(o.pieces[c.gone-1].Blob.Name()); err != nil {
				t.Fatal(err)
			}
		}
		if c.short > 0 {
			if err := os.Truncate(filepath.Join(dir, o.pieces[c.short-1].Blob.Name()), 0); err != nil {
				t.Fatal(err)
			}
		}
		w := httptest.NewRecorder()
		x := &request{s: s, w: w, r: httptest.NewRequest(http.MethodGet, "/abc/k", nil), ctx: t.Context(),
			decision: c.decision}
		if c.deaf {
			x.w = deaf{w}
		}
		if err := x.send(o, 0, 30); !errors.Is(err, c.want) || w.Body.Len() != c.sent {
			t.Errorf("%s: %d bytes, %v", c.name, w.Body.Len(), err)
		}
		if err := s.vault.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Who was cut off gets no answer any more, whatever it was about to be.
func TestWhoWasCutOff(t *testing.T) {
	s := &Server{cfg: Default()}
	s.metrics = newMetrics(&s.data, &s.memory)
	s.catalog = newCatalog(&s.memory, nil)
	if err := s.catalog.createBucket("abc", time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := s.catalog.put("abc", &object{key: "k", etag: `"e"`}, nil); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	x := &request{s: s, w: w, r: httptest.NewRequest(http.MethodGet, "/abc/k", nil), bucket: "abc", key: "k", gone: true}
	for what, err := range map[string]error{
		"an object": x.read(true), "its head": x.read(false), "a status": x.answer(http.StatusOK),
		"a document": x.answerText(http.StatusOK, []byte("text")),
	} {
		if err != errGone || w.Body.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", what, err, w.Body.Len())
		}
	}
}

// codeOfRefusal is the code of a refusal, or "" of none.
func codeOfRefusal(err *refusal.Error) string {
	if err == nil {
		return ""
	}
	return err.Code
}
