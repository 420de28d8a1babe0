package plan

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
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
	// maxPrepared bounds the batches that are made ahead of their time, one for each operation
	// that may be in flight, in bytes. A row takes about rowBytes beside its key and value, and
	// its bytes are there twice: as a row and in the message.
	maxPrepared = 8 << 30
	rowBytes    = 100
)

// Validate says what is wrong with a resolved plan, as a usage error that names the flag.
func (u *Updates) Validate() error {
	return first(
		u.checkTopic(), u.checkServer(), u.checkCounts(), u.checkData(), u.checkLoad(),
		u.Load.checkTimes(), u.Load.Retry.Check(), u.checkModes(), u.Output.Validate(),
	)
}

func (u *Updates) checkTopic() error {
	if u.URL == "" {
		return nil
	}
	shown := strconv.Quote(RedactURL(u.URL))
	_, err := url.Parse(u.URL)
	switch {
	case !strings.Contains(u.URL, "://"):
		return usage("%s is not the URL of a topic: it has no scheme", shown).Hint("write one such as nats://HOST:4222/SUBJECT")
	case err != nil:
		return usage("%s is not a URL: %s", shown, URLTrouble(u.URL, err)).
			Hint("special characters in a user name or password must be percent-encoded")
	}
	return nil
}

func (u *Updates) checkServer() error {
	if u.KV == "" {
		if u.PublishOnly && u.EmbeddedBroker() {
			return usage("--publish-only needs the URL of a topic: at the embedded broker nobody would receive anything").
				Hint("name a topic, or leave --publish-only out")
		}
		return nil
	}
	shown := strconv.Quote(RedactURL(u.KV))
	parsed, err := url.Parse(u.KV)
	switch {
	case err != nil:
		return usage("--kv %s is not a URL: %s", shown, URLTrouble(u.KV, err)).Hint("write http://HOST:PORT")
	case parsed.Scheme != "http" && parsed.Scheme != "https", parsed.Hostname() == "":
		return usage("--kv %s is not the URL of a key/value server", shown).
			Hint("write http://HOST:PORT, as 'plimsoll serve kv' prints it")
	case u.PublishOnly:
		return usage("--kv and --publish-only are both given: a run that only publishes asks no server").
			Hint("leave one of them out")
	case u.URL != "" && u.EmbeddedBroker():
		return usage("%s is the embedded broker, and the server of --kv has its own", RedactURL(u.URL)).
			Hint("leave the topic out: the server says where it is")
	}
	return nil
}

func (u *Updates) checkCounts() error {
	for _, n := range []struct {
		flag             string
		value, low, high int64
	}{
		{"publishers", int64(u.Load.Clients), 1, maxPublishers},
		{"in-flight", int64(u.Load.Pipeline), 1, maxInFlight},
		{"batch", int64(u.Batch), 1, maxBatch},
		{"hot-keys", u.HotKeys, 0, maxHotKeys},
	} {
		if n.value < n.low || n.value > n.high {
			return usage("--%s is %d: it must be from %d to %d", n.flag, n.value, n.low, n.high)
		}
	}
	if !u.EmbeddedServer() {
		return nil
	}
	switch {
	case u.Listeners < 1 || u.Listeners > maxListeners:
		return usage("--listeners is %d: it must be from 1 to %d", u.Listeners, maxListeners)
	case u.Receive < 1 || u.Receive > maxReceive:
		return usage("--receive-batch is %d: it must be from 1 to %d", u.Receive, maxReceive)
	}
	return nil
}

func (u *Updates) checkData() error {
	if !slices.Contains([]string{"compact", "json", "avro"}, u.Codec) {
		return usage("--codec is %q: it must be compact, json or avro", u.Codec)
	}
	if !u.Generated() {
		return nil
	}
	switch {
	case u.KeyLength < 1 || u.KeyLength > maxKeyLength:
		return usage("--key-length is %d: it must be from 1 to %d", u.KeyLength, maxKeyLength)
	case u.ValueLength < 0 || u.ValueLength > maxValue:
		return usage("--value-length is %d: it must be from 0 to %d", u.ValueLength, maxValue)
	case !(u.Deletes >= 0 && u.Deletes <= 1):
		return usage("--deletes is %v: a share is from 0%% to 100%%", u.Deletes)
	case !(u.Sets >= 0 && u.Sets <= 1):
		return usage("--sets is %v: a share is from 0%% to 100%%", u.Sets)
	}
	slots := u.Load.Clients * u.Load.Pipeline
	if size := float64(slots) * float64(u.Batch) * float64(2*(u.KeyLength+u.ValueLength)+rowBytes); size > maxPrepared {
		return usage("%d batches of %d updates can be in flight (--publishers times --in-flight), which takes %.0f GiB of memory",
			slots, u.Batch, size/(1<<30)).
			Hint("give smaller --batch, --publishers or --in-flight")
	}
	return nil
}

func (u *Updates) checkLoad() error {
	l := &u.Load
	switch {
	case !(l.Rate > 0 && l.Rate <= maxBatchRate):
		return usage("--rate is %v: it must be above 0 and at most %d batches per second", l.Rate, maxBatchRate)
	case l.Arrivals != Poisson && l.Arrivals != Constant && l.Arrivals != Burst:
		return usage("--arrivals is %q: it must be constant, burst or poisson", string(l.Arrivals))
	case u.Generated() && l.Duration == 0:
		return usage("--duration is 0: nothing would be measured").Hint("give a duration such as --duration 10s")
	case !u.PublishOnly && (u.Settle < time.Millisecond || u.Settle > MaxTime):
		return usage("--settle is %v: it must be from 1ms to %v", u.Settle, MaxTime)
	}
	return nil
}

// checkModes refuses modes that exclude each other.
func (u *Updates) checkModes() error {
	mode := ""
	for _, m := range []struct {
		flag string
		set  bool
	}{{"--grid", u.Grid}, {"--max", u.Max}} {
		switch {
		case !m.set:
			continue
		case mode != "":
			return usage("%s and %s are both given", mode, m.flag).Hint("leave one of them out")
		case u.PublishOnly:
			return usage("%s needs a server to ask, and --publish-only asks none", m.flag).Hint("leave one of them out")
		case !u.Generated():
			return usage("%s publishes generated data, and --from names files", m.flag).Hint("leave one of them out")
		}
		mode = m.flag
	}
	if u.Grid && u.KV != "" {
		return usage("--grid starts servers with 1 and with 4 listeners, and --kv names one").Hint("leave one of them out")
	}
	for _, f := range []struct{ flag, path string }{
		{"samples", u.Output.Samples}, {"buckets", u.Output.Buckets}, {"chart", u.Output.Chart},
	} {
		if mode != "" && f.path != "" {
			return usage("--%s is a file of one run, and %s makes several", f.flag, mode).
				Hint("make it of a saved run, with 'plimsoll report'")
		}
	}
	return nil
}

// CheckGiven refuses flags that would be ignored beside others.
func (u *Updates) CheckGiven(given func(flag string) bool) error {
	for _, rule := range []struct {
		applies bool
		flags   []string
		why     string
	}{
		{u.From != "", []string{"key-length", "value-length", "hot-keys", "deletes", "sets"}, "is about generated data, and --from names files"},
		{u.From != "" && u.Load.Arrivals != Poisson, []string{"seed"}, "is about generated data, and --from names files"},
		{u.From != "", []string{"warmup-time"}, "has no meaning with --from: each batch of the files is published once, in the window"},
		{u.KV != "", []string{"listeners", "receive-batch"}, "is the server's, and the one of --kv runs already"},
		{u.PublishOnly, []string{"listeners", "receive-batch", "settle"}, "is about the server, and --publish-only asks none"},
		{u.Grid, []string{"batch", "rate", "listeners"}, "changes from cell to cell of --grid"},
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
