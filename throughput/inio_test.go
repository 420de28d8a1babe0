package throughput

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// slowly takes so long for each read, and then gives a byte.
type slowly struct {
	left int
	each time.Duration
}

// synctest: used only inside a bubble.
func (s *slowly) Read(p []byte) (int, error) {
	time.Sleep(s.each)
	if s.left == 0 {
		return 0, io.EOF
	}
	s.left--
	return copy(p, "x"), nil
}

func (s *slowly) Close() error { return nil }

// What a source and a caller take is not in the time in I/O, and what the transport takes is all of
// it. The clock is fake: the truth is what was slept.
func TestTimeInIO(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const source, socket, network, caller = time.Second, time.Millisecond, time.Minute, time.Hour
		k := newKept()
		totals := NewTotals(4*(socket+network), nil)
		rt := Wrap(roundTrip(func(r *http.Request) (*http.Response, error) {
			x := r.Body.(*requestBody).exchange
			for piece := make([]byte, 10); ; {
				if _, err := r.Body.Read(piece); err != nil {
					break
				}
				time.Sleep(socket)
			}
			_ = r.Body.Close()
			x.current.Load().wrote(nil)
			return &http.Response{StatusCode: 200, ProtoMajor: 1, Body: &slowly{3, network}}, nil
		}), Observers{k, totals})
		req := request(t, http.MethodPut, "http://host", &slowly{4, source})
		req.ContentLength = 4
		resp, err := rt.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			time.Sleep(caller)
			_, err = resp.Body.Read(make([]byte, 10))
		}
		got := k.wait(t, 1)[0]
		write, _ := got.WriteIO()
		read, _ := got.ReadIO()
		if write != 4*socket || read != 3*network { // what finds the end of the answer brings nothing
			t.Errorf("%v and %v in I/O", write, read)
		}
		if s := totals.All(); s.WriteIO != write || s.ReadIO != read || s.WriteWall != 4*socket+4*source ||
			s.ReadWall != 3*network+3*caller {
			t.Errorf("%+v", s)
		}
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
