package throughput

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// A lane counts who is on it, and is forgotten when nobody is.
func TestLanes(t *testing.T) {
	var all lanes
	one, other := &tls.Conn{}, &tls.Conn{}
	a := all.join(one)
	b := all.join(other)
	if !all.alone(a) || !all.alone(b) {
		t.Error("each is on a connection of its own")
	}
	c := all.join(one)
	if all.alone(a) || all.alone(c) || !all.alone(b) {
		t.Error("two are on one connection")
	}
	all.leave(c)
	if all.alone(a) {
		t.Error("another one was there meanwhile")
	}
	all.leave(a)
	all.leave(b)
	if d := all.join(one); !all.alone(d) || len(all.known) != 1 {
		t.Errorf("the connection is not as new: %d are known", len(all.known))
	} else {
		all.leave(d)
	}
	if len(all.known) != 0 || all.alone(all.join(nil)) {
		t.Errorf("%d connections are kept", len(all.known))
	}
	all.leave(all.join(nil))
}

// Over HTTP/2, a request that is alone on its connection has a delivered rate if there is time to tell one, and says so;
// one that had company does not, whether that was observed or not.
func TestAloneOnHTTP2(t *testing.T) {
	hold, arrived := make(chan struct{}), make(chan struct{}, 8)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/held" {
			arrived <- struct{}{}
			<-hold
		}
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	k := newKept()
	c := s.Client()
	rt := Wrap(c.Transport, k)
	c.Transport = rt
	body := make([]byte, 300_000)
	put(t, c, s.URL, body)
	if got := k.wait(t, 1)[0]; got.Shared || got.Proto != "HTTP/2.0" {
		t.Errorf("%+v", got)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		put(t, c, s.URL+"/held", body)
	}()
	<-arrived
	put(t, c, s.URL, body)
	close(hold)
	<-done
	second := k.wait(t, 2)[1]
	if !second.Shared || second.WriteQuality() != SharedConnection || second.Drained.Happened() {
		t.Errorf("%s %+v", second.WriteQuality(), second)
	}
	put(t, c, s.URL, body)
	if got := k.wait(t, 1)[0]; got.Shared {
		t.Errorf("the others had ended: %+v", got)
	}
	if len(rt.lanes.known) != 0 {
		t.Errorf("%d connections are kept", len(rt.lanes.known))
	}
}

// Responses that share a connection share its rate: none of theirs is the network's. One that is alone there may have it.
func TestResponsesThatShareAConnection(t *testing.T) {
	const several = 4
	var together sync.WaitGroup
	together.Add(several)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/several" {
			together.Done()
			together.Wait()
		}
		_, _ = w.Write(make([]byte, 300_000))
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	k := newKept()
	c := s.Client()
	c.Transport = Wrap(c.Transport, k)
	send(t, c, request(t, "GET", s.URL+"/one", nil)) // makes the connection
	if got := k.wait(t, 1)[0]; got.ResponseShared || got.ReadQuality() == SharedConnection {
		t.Errorf("one alone: %s, %+v", got.ReadQuality(), got)
	}
	var all sync.WaitGroup
	for range several {
		all.Go(func() { send(t, c, request(t, "GET", s.URL+"/several", nil)) })
	}
	all.Wait()
	for _, got := range k.wait(t, several) {
		if got.ReadQuality() != SharedConnection || got.ReadLimit() == LimitNetwork || got.Proto != "HTTP/2.0" {
			t.Errorf("%s, limited by %q: %+v", got.ReadQuality(), got.ReadLimit(), got)
		}
	}
}
