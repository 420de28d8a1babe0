package engine

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// TestClientLimitIsNotTheTargetsFault offers 1000 a second. A target that takes 50 ms whatever comes needs 50 clients
// for that; one that can do it in 1 ms, and often does not, would have done with the twenty that there are.
func TestClientLimitIsNotTheTargetsFault(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	steady := func(uint64, time.Duration) time.Duration { return 50 * time.Millisecond }
	uneven := func(index uint64, _ time.Duration) time.Duration {
		if index%8 == 0 {
			return time.Millisecond
		}
		return 50 * time.Millisecond
	}
	for _, c := range []struct {
		name    string
		service func(uint64, time.Duration) time.Duration
		clients int
		code    string // "": none of them
		say     string
	}{
		{"a target of 50 ms", steady, 20, rundoc.WarnTooFew, "at the same time, and 20 may be. Raise --clients to 6"},
		{"with as many as that takes", steady, 63, "", ""},
		{"a target that is quick at times", uneven, 20, rundoc.WarnTargetBehind, "one in ten took 1.00 ms or less"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				l.service = c.service
				p := load()
				p.Clients, p.Rate, p.Drain = c.clients, 1000, 60*time.Millisecond
				doc := run(t, l, p, nil)
				doc.Plan = json.RawMessage(`{"load":{"rate_per_s":1000}}`)
				var code, message string
				for _, w := range rundoc.Warnings(doc) {
					switch w.Code {
					case rundoc.WarnTooFew, rundoc.WarnTargetBehind, rundoc.WarnGenerator, rundoc.WarnLoadBehind:
						code, message = w.Code, w.Message
					}
				}
				if code != c.code || !strings.Contains(message, c.say) {
					t.Errorf("%q: %s", code, message)
				}
			})
		})
	}
}
