package updates

import (
	"fmt"
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
		return usage("%s is not a topic URL: it has no scheme", shown).
			Hint("for example nats://HOST:4222/SUBJECT")
	case err != nil:
		return usage("%s is not a URL: %s", shown, plan.URLTrouble(p.URL, err)).
			Hint("percent-encode special characters in a user name or password")
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
			return usage("--publish-only needs the URL of a topic").
				Hint("add the URL of a topic, or remove --publish-only")
		}
		return nil
	}
	for i, given := range p.KV {
		if err := checkKV(given); err != nil {
			return err
		}
		if slices.Contains(p.KV[:i], given) {
			return usage("--kv %s is given twice", redact.URL(given)).Hint("give each server once")
		}
	}
	switch {
	case len(p.KV) > maxServers:
		return usage("--kv is given for %d servers; at most %d are allowed", len(p.KV), maxServers)
	case p.PublishOnly:
		return usage("--kv and --publish-only cannot be combined").
			Hint("remove one of them")
	case p.URL != "" && p.EmbeddedBroker():
		return usage("%s selects the broker of a demo server, but the --kv server has its own", redact.URL(p.URL)).
			Hint("remove the topic: the server reports where it is")
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
		return usage("--kv %s is not a valid server URL", shown).
			Hint("write http://HOST:PORT, as printed by 'plimsoll serve kv'")
	}
	return nil
}

// checkServers is the rule of how many servers are started.
func (p *Plan) checkServers(flag string) error {
	if p.EmbeddedServer() && (p.Servers < 1 || p.Servers > maxServers) {
		return usage("%s %d is out of range: it must be between 1 and %d", flag, p.Servers, maxServers)
	}
	return nil
}

// generated is the rule of a count that is about generated data.
func (p *Plan) generated(low, high int, n *int) func(flag string) error {
	return func(flag string) error {
		if p.Generated() && (*n < low || *n > high) {
			return usage("%s %d is out of range: it must be between %d and %d", flag, *n, low, high)
		}
		return nil
	}
}

// embedded is the rule of a count that is about the embedded server.
func (p *Plan) embedded(low, high int, n *int) func(flag string) error {
	return func(flag string) error {
		if p.EmbeddedServer() && (*n < low || *n > high) {
			return usage("%s %d is out of range: it must be between %d and %d", flag, *n, low, high)
		}
		return nil
	}
}

// share is the rule of a share of generated data.
func (p *Plan) share(v *float64) func(flag string) error {
	return func(flag string) error {
		if p.Generated() && !(*v >= 0 && *v <= 1) {
			return usage("%s %v is out of range: it must be between 0%% and 100%%", flag, *v)
		}
		return nil
	}
}

func (p *Plan) checkCodec(flag string) error {
	if !slices.Contains([]string{"compact", "json", "avro"}, p.Codec) {
		return usage("%s %q must be compact, json or avro", flag, p.Codec)
	}
	return nil
}

func (p *Plan) checkRate(flag string) error {
	if l := &p.Load; !(l.Rate > 0 && l.Rate <= maxBatchRate) {
		return usage("%s %v is out of range: it must be above 0 and at most %d batches per second", flag, l.Rate,
			maxBatchRate)
	}
	return nil
}

func (p *Plan) checkArrivals(flag string) error {
	if a := p.Load.Arrivals; a != plan.Poisson && a != plan.Constant && a != plan.Burst {
		return usage("%s %q must be constant, burst or poisson", flag, string(a))
	}
	return nil
}

func (p *Plan) checkDuration(flag string) error {
	if p.Generated() && p.Load.Duration == 0 {
		return usage("%s must be above 0", flag).Hint("for example --duration 10s")
	}
	return nil
}

func (p *Plan) checkSettle(flag string) error {
	if !p.PublishOnly && (p.Settle < time.Millisecond || p.Settle > plan.MaxTime) {
		return usage("%s %v is out of range: it must be between 1ms and %v", flag, p.Settle, plan.MaxTime)
	}
	return nil
}

func (p *Plan) checkWithin(flag string) error {
	if !p.PublishOnly && (p.Within <= 0 || p.Within > plan.MaxTime) {
		return usage("%s %v is out of range: it must be above 0 and at most %v", flag, p.Within, plan.MaxTime)
	}
	return nil
}

func (p *Plan) checkReads(flag string) error {
	switch {
	case !(p.Reads >= 0 && p.Reads <= maxReadRate):
		return usage("%s %v is out of range: it must be between 0 and %d reads per second", flag, p.Reads, maxReadRate)
	case p.Reads == 0:
	case p.PublishOnly:
		return usage("%s cannot be combined with --publish-only, which uses no server", flag).Hint("remove one of them")
	case !p.Generated():
		return usage("%s needs generated data and cannot be combined with --from", flag).Hint("remove one of them")
	case p.KeyLength > maxReadKey:
		return usage("%s puts keys into URLs: --key-length %d exceeds %d bytes", flag, p.KeyLength,
			maxReadKey).Hint("lower --key-length")
	}
	return nil
}

func (p *Plan) checkReadKeys(flag string) error {
	switch {
	case p.ReadKeys == "":
	case p.ReadKeys != rundoc.ReadHot && p.ReadKeys != rundoc.ReadRecent:
		return usage("%s %q must be recent or hot", flag, p.ReadKeys)
	case p.ReadKeys == rundoc.ReadHot && p.HotKeys == 0:
		return usage("%s hot needs --hot-keys", flag).Hint("add --hot-keys, or remove it")
	case p.ReadKeys == rundoc.ReadRecent && p.Generated() && p.Deletes == 1:
		return usage("%s recent needs values, but --deletes 100%% leaves none", flag).
			Hint("lower --deletes, or remove --reads")
	case p.ReadKeys == rundoc.ReadRecent && p.HotKeys > 0:
		return usage("%s recent cannot be combined with --hot-keys: other batches may overwrite the key",
			flag).Hint("remove --hot-keys, or use --read-keys hot")
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
		return usage("%s cannot be combined with --from: the number of publishers is fixed", flag).Hint("remove it")
	case most < p.Load.Clients || most > maxPublishers:
		return usage("%s %d is out of range: it must be between --publishers (%d) and %d", flag, most, p.Load.Clients,
			maxPublishers)
	}
	return nil
}

// checkMemory bounds the batches that are made ahead of their time.
func (p *Plan) checkMemory() error {
	most := p.Load.MostClients()
	if size := p.prepared(most); p.Generated() && size > maxPrepared {
		return usage("up to %d batches of %d updates can be in flight (publishers × --in-flight), which needs %.0f GiB "+
			"of memory",
			most*p.Load.Pipeline, p.Batch, size/(1<<30)).
			Hint("lower --batch, --publishers or --in-flight")
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
			return usage("%s and %s cannot be combined", mode, m.flag).Hint("remove one of them")
		case p.PublishOnly:
			return usage("%s cannot be combined with --publish-only, which uses no server", m.flag).Hint("remove one of them")
		case !p.Generated():
			return usage("%s needs generated data and cannot be combined with --from", m.flag).Hint("remove one of them")
		}
		mode = m.flag
	}
	if p.Grid && len(p.KV) > 0 {
		return usage("--grid starts its own servers and cannot be combined with --kv").
			Hint("remove one of them")
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
			return usage("--%s writes a file of one run, but %s makes several", f.flag, mode).
				Hint("create it from a saved run with 'plimsoll report'")
		}
	}
	return nil
}

// CheckGiven refuses flags that would be ignored beside others.
func (p *Plan) CheckGiven(given func(flag string) bool) error {
	const generated = "needs generated data and cannot be combined with --from"
	for _, rule := range []struct {
		applies bool
		flags   []string
		why     string
	}{
		{p.From != "", []string{"key-length", "value-length", "hot-keys", "deletes", "sets"}, generated},
		{p.From != "" && p.Load.Arrivals != plan.Poisson, []string{"seed"}, generated},
		{p.From != "", []string{"warmup-time"},
			"cannot be combined with --from: each batch of the files is published once, in the window"},
		{len(p.KV) > 0, []string{"listeners", "receive-batch", "servers"},
			"configures the demo server and cannot be combined with --kv"},
		{p.PublishOnly, []string{"listeners", "receive-batch", "servers", "settle", DeadlineFlag},
			"needs a server and cannot be combined with --publish-only"},
		{p.Reads == 0, []string{"read-keys"}, "needs --reads"},
		{p.Grid, []string{"batch", "rate", "listeners"}, "is varied by --grid and cannot be set"},
		{!p.Max, []string{"max-time", "within"}, "needs --max"},
	} {
		if !rule.applies {
			continue
		}
		for _, f := range rule.flags {
			if !given(f) {
				continue
			}
			hint := "remove one of them"
			if needed, ok := strings.CutPrefix(rule.why, "needs --"); ok {
				hint = fmt.Sprintf("add --%s, or remove --%s", needed, f)
			}
			return usage("--%s %s", f, rule.why).Hint("%s", hint)
		}
	}
	return nil
}
