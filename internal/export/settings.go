package export

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/web"
)

// Settings say by which ways numbers leave a run while it goes on.
type Settings struct {
	Metrics       string        // where Prometheus finds them: host:port; "" nowhere
	MetricsLinger time.Duration // how long the last of them are there for one more scrape
	OTLP          string        // the URL of a collector; "" none
	OTLPEvery     time.Duration // how often metrics are pushed; 0: everyDefault
	OTLPSample    Sample        // of which operations spans are pushed
}

// everyDefault is how often metrics are pushed.
const everyDefault = 5 * time.Second

// Sample says which operations become spans: so many a second, or a share of all of them. The zero value is the
// default.
type Sample struct {
	PerSecond, Share float64
	None             bool
}

// samplesDefault is how many spans a second are pushed.
const samplesDefault = 100

// parseSample reads 100/s, 5% or 0.05, and 0 for none.
func parseSample(text string) (Sample, error) {
	text = strings.TrimSpace(text)
	if rate, is := strings.CutSuffix(text, "/s"); is {
		n, err := strconv.ParseFloat(rate, 64)
		if err != nil || !(n > 0 && n <= mostPerSecond) {
			return Sample{}, fmt.Errorf("%q is not a number of spans per second above 0 and up to %d", text, mostPerSecond)
		}
		return Sample{PerSecond: n}, nil
	}
	share, err := setting.ParseShare(text)
	if err != nil {
		return Sample{}, fmt.Errorf("%q is neither a number per second, such as 100/s, nor a share, such as 5%%", text)
	}
	return Sample{Share: share, None: share == 0}, nil
}

// mostPerSecond bounds the spans: what takes more is a file of samples.
const mostPerSecond = 10000

// String is the form that parseSample reads.
func (s Sample) String() string {
	switch {
	case s.None:
		return "0"
	case s.Share > 0:
		return setting.FormatShare(s.Share)
	case s.PerSecond > 0:
		return strconv.FormatFloat(s.PerSecond, 'f', -1, 64) + "/s"
	}
	return ""
}

// picker makes what picks the operations of a run; nil for none.
func (s Sample) picker() *record.Picker {
	const room, most = 1024, 32768
	switch {
	case s.None:
		return nil
	case s.Share > 0:
		return record.NewPicker(0, s.Share, most)
	}
	rate := cmp.Or(s.PerSecond, samplesDefault)
	return record.NewPicker(rate, 0, max(room, int(4*rate)))
}

// Settings declares them.
func (s *Settings) Settings() []*setting.Setting {
	all := []*setting.Setting{
		web.AddressSetting(&s.Metrics, "metrics", "serve Prometheus metrics at http://ADDRESS/metrics during the "+
			"run; ADDRESS is host:port, or a port of 127.0.0.1").SetByRun(),
		setting.Duration(&s.MetricsLinger, "metrics-linger", "with --metrics: wait at the end until the final "+
			"values are scraped, at most this long (default 0s)").Rule(s.lingering),
		setting.Text(&s.OTLP, "otlp", "url", "push metrics and spans to this OpenTelemetry collector during the "+
			"run (OTLP over HTTP)").SetByRun().ShownBy(redact.URL).Rule(s.collector),
		s.everySetting(),
		setting.Of(&s.OTLPSample, "otlp-sample", "share", "with --otlp: push spans for up to this many "+
			"operations per second (100/s), a share (5%), or none (0) (default 100/s)", parseSample, Sample.String).
			Rule(s.sample),
	}
	for _, one := range all {
		one.OfResults()
	}
	return all
}

func (s *Settings) lingering(flag string) error {
	switch {
	case s.MetricsLinger < 0:
		return fault.New(fault.Usage, "%s %v is negative", flag, s.MetricsLinger).Hint("use a duration such as 30s")
	case s.MetricsLinger > 0 && s.Metrics == "":
		return fault.New(fault.Usage, "%s needs --metrics", flag).Hint("add --metrics 9090, or " +
			"remove it")
	}
	return nil
}

func (s *Settings) collector(flag string) error {
	if s.OTLP == "" {
		return nil
	}
	u, err := url.Parse(s.OTLP)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fault.New(fault.Usage, "%s %s is not a collector URL", flag, redact.URL(s.OTLP)).
			Hint("use a URL such as http://127.0.0.1:4318; /v1/metrics is appended (OTLP over HTTP)")
	}
	return nil
}

// everySetting declares OTLPEvery. What is too short is refused where it is read: behind that, 0 says that none was
// given.
func (s *Settings) everySetting() *setting.Setting {
	every := setting.Of(&s.OTLPEvery, "otlp-every", "duration", "with --otlp: push interval of metrics (default 5s)",
		parseEvery, setting.FormatDuration)
	every.Unit = setting.Time
	return every.Rule(func(flag string) error {
		if s.OTLPEvery == 0 {
			return nil
		}
		return s.withOTLP(flag)
	})
}

// often is how often metrics are pushed.
func (s *Settings) often() time.Duration { return cmp.Or(s.OTLPEvery, everyDefault) }

// parseEvery reads a duration of a second or more.
func parseEvery(text string) (time.Duration, error) {
	every, err := setting.ParseDuration(text)
	if err == nil && every < time.Second {
		return 0, fmt.Errorf("%q is too short: it must be at least 1s", text)
	}
	return every, err
}

func (s *Settings) sample(flag string) error {
	if s.OTLPSample == (Sample{}) {
		return nil
	}
	return s.withOTLP(flag)
}

func (s *Settings) withOTLP(flag string) error {
	if s.OTLP == "" {
		return fault.New(fault.Usage, "%s needs --otlp", flag).
			Hint("add --otlp http://127.0.0.1:4318, or remove it")
	}
	return nil
}
