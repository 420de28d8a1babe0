package updates

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	topics "github.com/plimsoll/plimsoll/internal/topic/known"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Bounds of an updates run.
const (
	maxPublishers = 1000
	maxInFlight   = 1000
	maxBatch      = 1_000_000
	maxBatchRate  = 1_000_000 // batches per second
	maxKeyLength  = 1<<16 - 1 // the key/value server takes no longer ones
	maxValue      = 16 << 20
	maxHotKeys    = 100_000_000 // the expected state of each is in memory
	maxListeners  = 1000
	maxReceive    = 10_000
	maxReadRate   = 1_000_000 // reads per second
	maxReadKey    = 512       // so that 64 of them fit into the headers that a server takes
	maxServers    = 64        // each is a process, or has one somewhere
	// maxPrepared bounds the batches that are made ahead of their time, one for each operation
	// that may be in flight, in bytes. A row takes about rowBytes beside its key and value, and
	// its bytes are there twice: as a row and in the message.
	maxPrepared = 8 << 30
	rowBytes    = 100
)

// usage is a usage error without a hint.
func usage(format string, args ...any) *fault.Error { return fault.New(fault.Usage, format, args...) }

func (p *Plan) checkTopic() error {
	if p.URL == "" {
		return nil
	}
	shown := strconv.Quote(redact.URL(p.URL))
	_, err := url.Parse(p.URL)
	switch {
	case !strings.Contains(p.URL, "://"):
		return usage("%s is not the URL of a topic: it has no scheme", shown).
			Hint("write one such as nats://HOST:4222/SUBJECT")
	case err != nil:
		return usage("%s is not a URL: %s", shown, plan.URLTrouble(p.URL, err)).
			Hint("special characters in a user name or password must be percent-encoded")
	}
	return nil
}

// checkPublishing refuses how to publish where the message service does not have it. Where a server says which topic
// it is, that is found when it is opened.
func (p *Plan) checkPublishing() error {
	switch {
	case p.URL != "":
		return topics.CheckPublishing(p.URL, p.publishing())
	case p.EmbeddedBroker():
		return topics.CheckPublishing("nats://", p.publishing())
	}
	return nil
}

func (p *Plan) checkServer() error {
	if len(p.KV) == 0 {
		if p.PublishOnly && p.EmbeddedBroker() {
			return usage("--publish-only needs the URL of a topic: " +
				"at the demo server's broker nobody would receive anything").
				Hint("name a topic, or leave --publish-only out")
		}
		return nil
	}
	for i, given := range p.KV {
		if err := checkKV(given); err != nil {
			return err
		}
		if slices.Contains(p.KV[:i], given) {
			return usage("--kv %s is given twice", redact.URL(given)).Hint("name each server once")
		}
	}
	switch {
	case len(p.KV) > maxServers:
		return usage("--kv names %d servers: it must be at most %d", len(p.KV), maxServers)
	case p.PublishOnly:
		return usage("--kv and --publish-only are both given: a run that only publishes asks no server").
			Hint("leave one of them out")
	case p.URL != "" && p.EmbeddedBroker():
		return usage("%s is the broker of a demo server, and the server of --kv has its own", redact.URL(p.URL)).
			Hint("leave the topic out: the server says where it is")
	}
	return nil
}

// checkKV checks one URL of a key/value server.
func checkKV(given string) error {
	shown := strconv.Quote(redact.URL(given))
	parsed, err := url.Parse(given)
	switch {
	case err != nil:
		return usage("--kv %s is not a URL: %s", shown, plan.URLTrouble(given, err)).Hint("write http://HOST:PORT")
	case parsed.Scheme != "http" && parsed.Scheme != "https", parsed.Hostname() == "":
		return usage("--kv %s is not the URL of a key/value server", shown).
			Hint("write http://HOST:PORT, as 'plimsoll serve kv' prints it")
	}
	return nil
}

// checkServers is the rule of how many servers are started.
func (p *Plan) checkServers(flag string) error {
	if p.EmbeddedServer() && (p.Servers < 1 || p.Servers > maxServers) {
		return usage("%s is %d: it must be from 1 to %d", flag, p.Servers, maxServers)
	}
	return nil
}

// generated is the rule of a count that is about generated data.
func (p *Plan) generated(low, high int, n *int) func(flag string) error {
	return func(flag string) error {
		if p.Generated() && (*n < low || *n > high) {
			return usage("%s is %d: it must be from %d to %d", flag, *n, low, high)
		}
		return nil
	}
}

// embedded is the rule of a count that is about the embedded server.
func (p *Plan) embedded(low, high int, n *int) func(flag string) error {
	return func(flag string) error {
		if p.EmbeddedServer() && (*n < low || *n > high) {
			return usage("%s is %d: it must be from %d to %d", flag, *n, low, high)
		}
		return nil
	}
}

// share is the rule of a share of generated data.
func (p *Plan) share(v *float64) func(flag string) error {
	return func(flag string) error {
		if p.Generated() && !(*v >= 0 && *v <= 1) {
			return usage("%s is %v: a share is from 0%% to 100%%", flag, *v)
		}
		return nil
	}
}

func (p *Plan) checkCodec(flag string) error {
	if !slices.Contains([]string{"compact", "json", "avro"}, p.Codec) {
		return usage("%s is %q: it must be compact, json or avro", flag, p.Codec)
	}
	return nil
}

func (p *Plan) checkRate(flag string) error {
	if l := &p.Load; !(l.Rate > 0 && l.Rate <= maxBatchRate) {
		return usage("%s is %v: it must be above 0 and at most %d batches per second", flag, l.Rate, maxBatchRate)
	}
	return nil
}

func (p *Plan) checkArrivals(flag string) error {
	if a := p.Load.Arrivals; a != plan.Poisson && a != plan.Constant && a != plan.Burst {
		return usage("%s is %q: it must be constant, burst or poisson", flag, string(a))
	}
	return nil
}

func (p *Plan) checkDuration(flag string) error {
	if p.Generated() && p.Load.Duration == 0 {
		return usage("%s is 0: nothing would be measured", flag).Hint("give a duration such as --duration 10s")
	}
	return nil
}

func (p *Plan) checkSettle(flag string) error {
	if !p.PublishOnly && (p.Settle < time.Millisecond || p.Settle > plan.MaxTime) {
		return usage("%s is %v: it must be from 1ms to %v", flag, p.Settle, plan.MaxTime)
	}
	return nil
}

func (p *Plan) checkWithin(flag string) error {
	if !p.PublishOnly && (p.Within <= 0 || p.Within > plan.MaxTime) {
		return usage("%s is %v: it must be above 0 and at most %v", flag, p.Within, plan.MaxTime)
	}
	return nil
}

func (p *Plan) checkReads(flag string) error {
	switch {
	case !(p.Reads >= 0 && p.Reads <= maxReadRate):
		return usage("%s is %v: it must be at least 0 and at most %d reads per second", flag, p.Reads, maxReadRate)
	case p.Reads == 0:
	case p.PublishOnly:
		return usage("%s needs a server to read from, and --publish-only asks none", flag).Hint("leave one of them out")
	case !p.Generated():
		return usage("%s looks for keys of generated data, and --from names files", flag).Hint("leave one of them out")
	case p.KeyLength > maxReadKey:
		return usage("%s puts keys of --key-length %d into URLs: they can have at most %d bytes", flag, p.KeyLength,
			maxReadKey).Hint("make keys shorter")
	}
	return nil
}

func (p *Plan) checkReadKeys(flag string) error {
	switch {
	case p.ReadKeys == "":
	case p.ReadKeys != rundoc.ReadHot && p.ReadKeys != rundoc.ReadRecent:
		return usage("%s is %q: it must be recent or hot", flag, p.ReadKeys)
	case p.ReadKeys == rundoc.ReadHot && p.HotKeys == 0:
		return usage("%s hot reads the keys of --hot-keys, and there are none", flag).Hint("give --hot-keys, or leave it out")
	case p.ReadKeys == rundoc.ReadRecent && p.Generated() && p.Deletes == 1:
		return usage("%s recent looks for a batch by a value of it, and with --deletes 100%% there is none", flag).
			Hint("give fewer --deletes, or leave --reads out")
	case p.ReadKeys == rundoc.ReadRecent && p.HotKeys > 0:
		return usage("%s recent looks for a batch by a key of its own, and with --hot-keys another batch may take it over",
			flag).Hint("leave --hot-keys out, or give --read-keys hot")
	}
	return nil
}

// prepared returns the memory that the batches of so many publishers can take, in bytes.
func (p *Plan) prepared(publishers int) float64 {
	slots := float64(publishers) * float64(p.Load.Pipeline)
	return slots * float64(p.Batch) * float64(2*(p.KeyLength+p.ValueLength)+rowBytes)
}

func (p *Plan) checkMaxPublishers(flag string) error {
	switch most := p.Load.MaxClients; {
	case most == 0: // data from files
		return nil
	case !p.Generated():
		return usage("%s has no effect on data from files: its publishers are fixed", flag).Hint("leave it out")
	case most < p.Load.Clients || most > maxPublishers:
		return usage("%s is %d: it must be from --publishers, which is %d, to %d", flag, most, p.Load.Clients, maxPublishers)
	}
	return nil
}

// checkMemory bounds the batches that are made ahead of their time.
func (p *Plan) checkMemory() error {
	most := p.Load.MostClients()
	if size := p.prepared(most); p.Generated() && size > maxPrepared {
		return usage("%d batches of %d updates can be in flight (publishers times --in-flight), "+
			"which takes %.0f GiB of memory",
			most*p.Load.Pipeline, p.Batch, size/(1<<30)).
			Hint("give smaller --batch, --publishers or --in-flight")
	}
	return nil
}

// checkModes refuses modes that exclude each other.
func (p *Plan) checkModes() error {
	mode := ""
	for _, m := range []struct {
		flag string
		set  bool
	}{{"--grid", p.Grid}, {"--max", p.Max}} {
		switch {
		case !m.set:
			continue
		case mode != "":
			return usage("%s and %s are both given", mode, m.flag).Hint("leave one of them out")
		case p.PublishOnly:
			return usage("%s needs a server to ask, and --publish-only asks none", m.flag).Hint("leave one of them out")
		case !p.Generated():
			return usage("%s publishes generated data, and --from names files", m.flag).Hint("leave one of them out")
		}
		mode = m.flag
	}
	if p.Grid && len(p.KV) > 0 {
		return usage("--grid starts servers with 1 and with 4 listeners, and --kv names one").
			Hint("leave one of them out")
	}
	return nil
}

// checkOneRun refuses files of one run beside a mode that makes several.
func (p *Plan) checkOneRun() error {
	mode := ""
	switch {
	case p.Grid:
		mode = "--grid"
	case p.Max:
		mode = "--max"
	}
	for _, f := range []struct{ flag, path string }{
		{"samples", p.Output.Samples}, {"buckets", p.Output.Buckets}, {"chart", p.Output.Chart},
	} {
		if mode != "" && f.path != "" {
			return usage("--%s is a file of one run, and %s makes several", f.flag, mode).
				Hint("make it of a saved run, with 'plimsoll report'")
		}
	}
	return nil
}

// CheckGiven refuses flags that would be ignored beside others.
func (p *Plan) CheckGiven(given func(flag string) bool) error {
	const generated = "is about generated data, and --from names files"
	for _, rule := range []struct {
		applies bool
		flags   []string
		why     string
	}{
		{p.From != "", []string{"key-length", "value-length", "hot-keys", "deletes", "sets"}, generated},
		{p.From != "" && p.Load.Arrivals != plan.Poisson, []string{"seed"}, generated},
		{p.From != "", []string{"warmup-time"},
			"has no meaning with --from: each batch of the files is published once, in the window"},
		{len(p.KV) > 0, []string{"listeners", "receive-batch", "servers"},
			"is the server's, and the one of --kv runs already"},
		{p.PublishOnly, []string{"listeners", "receive-batch", "servers", "settle", "within"},
			"is about the server, and --publish-only asks none"},
		{p.Reads == 0, []string{"read-keys"}, "is about reads, and there are none without --reads"},
		{p.Grid, []string{"batch", "rate", "listeners"}, "changes from cell to cell of --grid"},
		{!p.Max, []string{"max-time", "search-within"}, "bounds the search of --max, and --max is not given"},
	} {
		if !rule.applies {
			continue
		}
		for _, f := range rule.flags {
			if given(f) {
				return usage("--%s %s", f, rule.why).Hint("leave one of them out")
			}
		}
	}
	return nil
}
