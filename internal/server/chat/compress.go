package chat

import (
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/lxzan/gws"
)

// extension is the one that compresses messages (RFC 7692).
const extension = "permessage-deflate"

// The bounds of a window's size, in bits.
const (
	minWindow = 8
	maxWindow = 15
)

// Messages from compressFrom bytes on are compressed; smaller ones would seldom become smaller.
const compressFrom = 64

// maxUpgraders bounds how many sorts of connections share their compressors. Clients choose the names of subprotocols,
// and a compressor takes most of a MiB: whoever is one too many is not compressed.
const maxUpgraders = 32

// upgraders are what makes connections, one for each sort of them.
type upgraders struct {
	cfg    *Config
	events gws.Event
	plain  *gws.Upgrader

	mu     sync.Mutex
	shared map[sort]*gws.Upgrader
}

// sort is what compressed connections have in common that share an upgrader.
type sort struct {
	window      int
	subprotocol string
}

func newUpgraders(cfg *Config, events gws.Event) *upgraders {
	return &upgraders{cfg: cfg, events: events, plain: newUpgrader(cfg, events), shared: map[sort]*gws.Upgrader{}}
}

// of gives the client the first of the subprotocols that it asks for, if it does, since the messages are the same in
// all; and compresses if it offers that. The request is changed: the library sees the offer that was taken, alone.
func (u *upgraders) of(r *http.Request) (up *gws.Upgrader, compressed bool) {
	asked, _, _ := strings.Cut(r.Header.Get("Sec-WebSocket-Protocol"), ",")
	asked = strings.TrimSpace(asked)
	if u.cfg.Compress {
		if window := negotiate(r.Header); window > 0 {
			if up := u.compressing(sort{window, asked}); up != nil {
				r.Header.Set("Sec-WebSocket-Extensions", extension)
				return up, true
			}
		}
	}
	if asked != "" {
		return newUpgrader(u.cfg, u.events, asked), false
	}
	return u.plain, false
}

// compressing is nil when there are too many sorts.
func (u *upgraders) compressing(s sort) *gws.Upgrader {
	u.mu.Lock()
	defer u.mu.Unlock()
	up := u.shared[s]
	if up == nil && len(u.shared) < maxUpgraders {
		o := options(u.cfg)
		if s.subprotocol != "" {
			o.SubProtocols = []string{s.subprotocol}
		}
		// Without a window that is kept from one message to the next, a connection needs no memory for it. What the
		// client compresses may have any window.
		o.PermessageDeflate = gws.PermessageDeflate{Enabled: true, Threshold: compressFrom,
			PoolSize: runtime.GOMAXPROCS(0), ServerMaxWindowBits: s.window, ClientMaxWindowBits: maxWindow}
		up = gws.NewUpgrader(u.events, o)
		u.shared[s] = up
	}
	return up
}

// negotiate looks for the first offer that can be taken (RFC 7692, section 5.1), and gives the window in which the
// server has to compress; 0: there is none.
func negotiate(h http.Header) int {
	for _, line := range h.Values("Sec-WebSocket-Extensions") {
		for offer := range strings.SplitSeq(line, ",") {
			name, parameters, some := strings.Cut(offer, ";")
			if !strings.EqualFold(strings.TrimSpace(name), extension) {
				continue
			}
			if !some {
				return maxWindow
			}
			if window := window(parameters); window > 0 {
				return window
			}
		}
	}
	return 0
}

// window reads the parameters of an offer. One that is unknown, wrong or given twice declines it (RFC 7692, section 7).
func window(parameters string) int {
	size := maxWindow
	seen := map[string]bool{}
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, given := strings.Cut(strings.TrimSpace(p), "=")
		name, value = strings.TrimSpace(name), strings.Trim(strings.TrimSpace(value), `"`)
		if seen[name] {
			return 0
		}
		seen[name] = true
		bits, err := strconv.Atoi(value)
		right := err == nil && strconv.Itoa(bits) == value && bits >= minWindow && bits <= maxWindow
		switch {
		case name == "server_no_context_takeover" && !given, name == "client_no_context_takeover" && !given:
		case name == "client_max_window_bits" && (!given || right):
		case name == "server_max_window_bits" && right:
			// The answer must name it, and the library names only those that are smaller than the largest.
			size = min(bits, maxWindow-1)
		default:
			return 0
		}
	}
	return size
}
