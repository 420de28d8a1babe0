package chat

import (
	"math"
	"net/url"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Limits of the chat protocol and of the tables that a report can hold.
const (
	maxUsers     = 100_000 // user ids are 1 to 100000
	maxRooms     = 10_000  // each has some KiB of figures in memory
	maxTemplates = 1000
	maxCharacter = 500 // of a message's text
)

// usage is a usage error without a hint.
func usage(format string, args ...any) *fault.Error { return fault.New(fault.Usage, format, args...) }

func share(into *float64, name, help string) *setting.Setting {
	return setting.Share(into, name, help).Rule(func(flag string) error {
		if !(*into >= 0 && *into <= 1) {
			return usage("%s is %v: a share is from 0%% to 100%%", flag, *into)
		}
		return nil
	})
}

func (p *Plan) checkURL() error {
	if p.URL == "" {
		return nil
	}
	return checkWebSocketURL(p.URL)
}

func (p *Plan) checkRooms() error {
	if n := p.Load.Operations; n > 0 && int64(p.Mix.Rooms) > n {
		return usage("--rooms is %d, more than the %d messages of the run: some rooms would stay empty",
			p.Mix.Rooms, n).
			Hint("give at most --rooms %d, or more --messages", n)
	}
	return nil
}

func (m *Mix) checkMessageSize(flag string) error {
	if m.MessageSize < 0 || m.MessageSize > maxCharacter {
		return usage("%s is %d: it must be from 1 to %d characters", flag, m.MessageSize, maxCharacter)
	}
	return nil
}

func (m *Mix) checkShares() error {
	// The tolerance covers binary fractions (0.9 + 0.05 + 0.05), nothing that a person wrote.
	sum := m.TextShare + m.JoinShare + m.LeaveShare
	if math.Abs(sum-1) > 1e-6 {
		return usage("the shares sum to %.6g%%, not to 100%%: "+
			"--text-share %.6g%%, --join-share %.6g%%, --leave-share %.6g%%",
			sum*100, m.TextShare*100, m.JoinShare*100, m.LeaveShare*100).
			Hint("give all three, for example --text-share 80%% --join-share 10%% --leave-share 10%%")
	}
	return nil
}

func (d *Dial) checkOrigin(flag string) error {
	if d.Origin == "" || d.Origin == "null" {
		return nil
	}
	if redact.HasUser(d.Origin) { // which reports and documents would show
		return usage("%s has a user name or a password, and an origin has neither", flag).
			Hint("write a scheme and a host, for example --origin https://example.org")
	}
	if u, err := url.Parse(d.Origin); err != nil || u.Scheme == "" || u.Host == "" {
		return usage("%s %q is not an origin", flag, d.Origin).
			Hint("write a scheme and a host, for example --origin https://example.org")
	}
	return nil
}

func (d *Dial) checkSubprotocols(flag string) error {
	for _, p := range d.Subprotocol {
		if !isToken(p) {
			return usage("%s %q is not the name of a subprotocol: letters, digits and -._~ only", flag, p)
		}
	}
	return nil
}

// checkTLS refuses settings of TLS without TLS, and those that make each other pointless.
func (p *Plan) checkTLS() error {
	d := &p.Dial
	secure := strings.HasPrefix(strings.ToLower(p.URL), "wss://")
	switch paced := p.Load.Realtime || p.Load.Pacing == plan.Spin || p.Load.Pacing == plan.Sleep; {
	case secure && paced:
		return usage("--pacing and --realtime have no meaning with TLS, which may wait for the target when it writes: " +
			"the clients themselves send what is due").
			Hint("leave them out, or use a ws:// URL")
	case secure && d.CAFile != "" && d.Insecure:
		return usage("--ca and --insecure are both given: --insecure would make --ca pointless").
			Hint("leave one of them out")
	case secure:
		return nil
	case d.CAFile != "":
		return usage("--ca has no meaning without TLS").Hint("use a wss:// URL, or leave out --ca")
	case d.Insecure:
		return usage("--insecure has no meaning without TLS").Hint("use a wss:// URL, or leave out --insecure")
	}
	return nil
}
