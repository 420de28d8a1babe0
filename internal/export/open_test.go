package export

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/record"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// What cannot be listened on is told before anything is measured, in one line that names the flag.
func TestAnAddressInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := Settings{Metrics: l.Addr().String()}
	_, _, err = s.Open(t.Context(), Surroundings{})
	if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), "--metrics: cannot listen on "+s.Metrics) ||
		strings.Count(err.Error(), s.Metrics) != 1 {
		t.Errorf("%v", err)
	}
}

// A collector that does not respond must not keep an interrupted run from ending.
func TestHangingCollectorDoesNotBlockTheEnd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // in its queue, connections are made and nobody answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	notes := make(chan string, 99)
	s := Settings{OTLP: "http://" + l.Addr().String(), OTLPSample: Sample{None: true}}
	show, end, err := s.Open(t.Context(), Surroundings{Note: func(text string) { notes <- text },
		LookupEnv: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{}, 99)
	leave := show.Enter(func() onlook.Moment { return onlook.Moment{} })
	leave(onlook.Moment{ID: "r1", Sums: func() *record.Sums { asked <- struct{}{}; return &record.Sums{} }})
	<-asked
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan struct{})
	// goroutine: it is waited for below.
	go func() {
		end(ctx)
		close(ended)
	}()
	interrupt()
	<-ended
	// Usually the note is that the collector takes nothing; on a busy machine the pusher may give up first.
	if note := <-notes; !strings.HasPrefix(note, "--otlp: ") {
		t.Errorf("%q", note)
	}
	l.Close() // resets what waits in the queue, and the push ends
}
