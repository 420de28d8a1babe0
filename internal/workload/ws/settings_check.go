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
		return usage("--protocol and --message cannot be combined").Hint("use one of them")
	case s.Answers != "" && s.Message == "":
		return usage("--answers needs --message").
			Hint("add --message, or set it in the protocol file: receive: [{answers: …}]")
	case p.URL == "" && s.isPreset() && s.spoken() != demoProtocol && s.Protocol != echoProtocol:
		return usage("no URL given, and the demo server does not speak %s", s.Protocol).
			Hint("run: plimsoll ws ws://HOST:PORT/PATH --protocol %s", s.Protocol)
	case s.Protocol == "" && s.Message == "" && p.URL != "":
		return usage("no protocol given for %s", redact.URL(p.URL)).
			Hint("add --protocol with a preset (%s) or with a file, for example %s; if the server replies to each message "+
				"in order, --message TEXT is enough", strings.Join(presetNames(), ", "), shortest)
	}
	return nil
}

// shortest is about the shortest file of a protocol that does something.
const shortest = `{protocol: 1, messages: [{send: '{"id": ${id}}'}], receive: [{answers: /id}]}`

func (p *Plan) checkRooms() error {
	s := &p.Speech
	if n := p.Load.Operations; n > 0 && int64(s.Rooms) > n {
		return usage("--rooms %d exceeds the %d messages of the run: some rooms would stay empty", s.Rooms, n).
			Hint("set --rooms to %d or less, or raise --messages", n)
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
			Hint("write ws://HOST:PORT/PATH; percent-encode special characters in a user name or password")
	}
	switch u.Scheme {
	case "ws", "wss":
	case "http", "https":
		return fault.New(fault.Usage, "%s has the scheme %s, not ws or wss", shown, u.Scheme).
			Hint("write ws%s", strings.TrimPrefix(redact.URL(raw), "http"))
	default:
		return fault.New(fault.Usage, "%s has the scheme %q, not ws or wss", shown, u.Scheme).
			Hint("write ws://HOST:PORT/PATH, or wss:// for TLS")
	}
	return checkURLParts(u, shown)
}

func checkURLParts(u *url.URL, shown string) error {
	if u.Hostname() == "" {
		return fault.New(fault.Usage, "%s has no host", shown).
			Hint("write ws://HOST:PORT/PATH, for example ws://localhost:8080/chat/{room}")
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return fault.New(fault.Usage, "%s has the invalid port %s: ports range from 1 to 65535", shown, p)
		}
	}
	if u.Fragment != "" {
		return fault.New(fault.Usage, "%s has a fragment (#…), which WebSocket URLs do not allow", shown).
			Hint("remove it, or write %%23 for a literal # (RFC 6455, section 3)")
	}
	for _, part := range []string{u.Path, u.RawQuery} {
		rest := strings.ReplaceAll(part, plan.Room, "")
		if strings.ContainsAny(rest, "{}") {
			return fault.New(fault.Usage, "%s has a placeholder other than {room}", shown).
				Hint("only {room} is allowed; write %%7B and %%7D for literal braces")
		}
	}
	return nil
}
