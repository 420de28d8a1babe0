package plan

import (
	"encoding/json"
	"math"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// Limits of the chat protocol and of the tables that a report can hold.
const (
	maxUsers     = 100_000 // user ids are 1 to 100000
	maxRooms     = 10_000  // each has some KiB of figures in memory
	maxTemplates = 1000
	maxCharacter = 500 // of a message's text
)

// Validate says what is wrong with a resolved plan, as a usage error that names the flag,
// what is wrong with it and what to do; nil when the plan can run.
func (c *Chat) Validate() error {
	if c.URL != "" {
		if err := checkWebSocketURL(c.URL); err != nil {
			return err
		}
	}
	return first(c.Load.validate(), c.checkMix(), c.checkDial(), c.Output.Validate())
}

func (c *Chat) checkMix() error {
	m := c.Mix
	for _, n := range []struct {
		flag             string
		value, low, high int
	}{
		{"users", m.Users, 1, maxUsers},
		{"rooms", m.Rooms, 1, maxRooms},
		{"templates", m.Templates, 1, maxTemplates},
	} {
		if n.value < n.low || n.value > n.high {
			return usage("--%s is %d: it must be from %d to %d", n.flag, n.value, n.low, n.high)
		}
	}
	if n := c.Load.Operations; n > 0 && int64(m.Rooms) > n {
		return usage("--rooms is %d, more than the %d messages of the run: some rooms would stay empty", m.Rooms, n).
			Hint("give at most --rooms %d, or more --messages", n)
	}
	if m.MessageSize < 0 || m.MessageSize > maxCharacter {
		return usage("--message-size is %d: it must be from 1 to %d characters", m.MessageSize, maxCharacter)
	}
	return m.checkShares()
}

func (m *Mix) checkShares() error {
	for _, s := range []struct {
		flag  string
		value float64
	}{{"text-share", m.TextShare}, {"join-share", m.JoinShare}, {"leave-share", m.LeaveShare}} {
		if !(s.value >= 0 && s.value <= 1) {
			return usage("--%s is %v: a share is from 0%% to 100%%", s.flag, s.value)
		}
	}
	// The tolerance covers binary fractions (0.9 + 0.05 + 0.05), nothing that a person wrote.
	sum := m.TextShare + m.JoinShare + m.LeaveShare
	if math.Abs(sum-1) > 1e-6 {
		return usage("the shares sum to %.6g%%, not to 100%%: --text-share %.6g%%, --join-share %.6g%%, --leave-share %.6g%%",
			sum*100, m.TextShare*100, m.JoinShare*100, m.LeaveShare*100).
			Hint("give all three, for example --text-share 80%% --join-share 10%% --leave-share 10%%")
	}
	return nil
}

func (c *Chat) checkDial() error {
	d := c.Dial
	if d.Origin != "" {
		if u, err := url.Parse(d.Origin); d.Origin != "null" && (err != nil || u.Scheme == "" || u.Host == "") {
			return usage("--origin %q is not an origin", d.Origin).
				Hint("write a scheme and a host, for example --origin https://example.org")
		}
	}
	for _, p := range d.Subprotocol {
		if !isToken(p) {
			return usage("--subprotocol %q is not the name of a subprotocol: letters, digits and -._~ only", p)
		}
	}
	if c.TLS() {
		if d.CAFile != "" && d.Insecure {
			return usage("--ca and --insecure are both given: --insecure would make --ca pointless").
				Hint("leave one of them out")
		}
		return nil
	}
	switch {
	case d.CAFile != "":
		return usage("--ca has no meaning without TLS").Hint("use a wss:// URL, or leave out --ca")
	case d.Insecure:
		return usage("--insecure has no meaning without TLS").Hint("use a wss:// URL, or leave out --insecure")
	}
	return nil
}

// Validate says what is wrong with the names of the files and the width of the buckets. It
// does not look at the disk.
func (o *Output) Validate() error {
	if o.Bucket < time.Second || o.Bucket%time.Second != 0 {
		return usage("--bucket is %v: it must be whole seconds, at least 1s", o.Bucket)
	}
	if o.Chart != "" {
		if ext := strings.ToLower(filepath.Ext(o.Chart)); ext != ".png" && ext != ".svg" {
			return usage("--chart %q must end in .png or .svg", o.Chart)
		}
	}
	files := map[string]string{}
	for _, f := range []struct{ flag, path string }{
		{"samples", o.Samples}, {"buckets", o.Buckets}, {"chart", o.Chart},
	} {
		if f.path == "" {
			continue
		}
		clean := filepath.Clean(f.path)
		if other := files[clean]; other != "" {
			return usage("--%s and --%s name the same file, %s", other, f.flag, f.path).
				Hint("give each a file of its own")
		}
		files[clean] = f.flag
	}
	return nil
}

// TLS reports whether the target is reached over TLS.
func (c *Chat) TLS() bool { return strings.HasPrefix(strings.ToLower(c.URL), "wss://") }

// PerRoom reports whether the URL holds {room}: each client then joins one room.
func (c *Chat) PerRoom() bool { return strings.Contains(c.URL, Room) }

// MarshalJSON writes the plan with the URL redacted, so that no secret reaches a document.
func (c Chat) MarshalJSON() ([]byte, error) {
	type plain Chat // without this method
	p := plain(c)
	p.URL = RedactURL(c.URL)
	return json.Marshal(p)
}
