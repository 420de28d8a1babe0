package ws

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
)

// Limits of the tables that a report can hold, and of what one machine has.
const (
	maxRooms     = 10_000 // each has some KiB of figures in memory
	maxReceivers = 100_000
)

// What answers a message without a protocol.
const (
	answersInOrder = "order"
	answersOnly    = "only"
)

func (p *Plan) checkURL() error {
	if p.URL == "" {
		return nil
	}
	return CheckURL(p.URL)
}

// checkSpeech refuses a run of which nobody knows what it says, or that is told twice.
func (p *Plan) checkSpeech() error {
	s := &p.Speech
	switch {
	case s.Protocol != "" && s.Message != "":
		return usage("--protocol and --message are both given: each says what is sent").Hint("leave one of them out")
	case s.Answers != "" && s.Message == "":
		return usage("--answers is about --message, which is not given").
			Hint("give the message, or say it in the rules of the protocol: receive: [{answers: …}]")
	case p.URL == "" && s.isPreset() && s.spoken() != demoProtocol && s.Protocol != echoProtocol:
		return usage("no URL is given, and the demo server does not speak %s", s.Protocol).
			Hint("give the URL: plimsoll ws ws://HOST:PORT/PATH --protocol %s", s.Protocol)
	case s.Protocol == "" && s.Message == "" && p.URL != "":
		return usage("nothing says what %s speaks", redact.URL(p.URL)).
			Hint("give --protocol with a preset (%s), or with a file such as: %s; or --message TEXT, where each message is "+
				"answered in order", strings.Join(presetNames(), ", "), shortest)
	}
	return nil
}

// shortest is about the shortest file of a protocol that does something.
const shortest = `{protocol: 1, messages: [{send: '{"id": ${id}}'}], receive: [{answers: /id}]}`

func (p *Plan) checkRooms() error {
	s := &p.Speech
	if n := p.Load.Operations; n > 0 && int64(s.Rooms) > n {
		return usage("--rooms is %d, more than the %d messages of the run: some rooms would stay empty", s.Rooms, n).
			Hint("give at most --rooms %d, or more --messages", n)
	}
	return nil
}

func (p *Plan) checkDial() error { return p.Dial.Check(p.URL, &p.Load) }

// CheckURL says what is wrong with the URL of a target, without showing secrets.
func CheckURL(raw string) error {
	shown := strconv.Quote(redact.URL(raw))
	if !strings.Contains(raw, "://") {
		return fault.New(fault.Usage, "%s is not a URL: it has no scheme", shown).
			Hint("write ws://HOST:PORT/PATH, for example ws://localhost:8080/chat/{room}")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return fault.New(fault.Usage, "%s is not a URL: %s", shown, plan.URLTrouble(raw, err)).
			Hint("write ws://HOST:PORT/PATH; special characters in a user name or password must be percent-encoded")
	}
	switch u.Scheme {
	case "ws", "wss":
	case "http", "https":
		return fault.New(fault.Usage, "the scheme of %s is %s, not ws or wss", shown, u.Scheme).
			Hint("write ws%s", strings.TrimPrefix(redact.URL(raw), "http"))
	default:
		return fault.New(fault.Usage, "the scheme of %s is %q, not ws or wss", shown, u.Scheme).
			Hint("write ws://HOST:PORT/PATH, or wss:// for TLS")
	}
	return checkURLParts(u, shown)
}

func checkURLParts(u *url.URL, shown string) error {
	if u.Hostname() == "" {
		return fault.New(fault.Usage, "%s names no host", shown).
			Hint("write ws://HOST:PORT/PATH, for example ws://localhost:8080/chat/{room}")
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return fault.New(fault.Usage, "%s has the port %s: a port is from 1 to 65535", shown, p)
		}
	}
	if u.Fragment != "" {
		return fault.New(fault.Usage, "%s has a fragment (#…), which a WebSocket URL must not have", shown).
			Hint("leave it out, or write %%23 for a # in the path (RFC 6455, section 3)")
	}
	for _, part := range []string{u.Path, u.RawQuery} {
		rest := strings.ReplaceAll(part, plan.Room, "")
		if strings.ContainsAny(rest, "{}") {
			return fault.New(fault.Usage, "%s has a placeholder other than {room}", shown).
				Hint("{room} is the only one; write %%7B and %%7D for braces in a query")
		}
	}
	return nil
}
