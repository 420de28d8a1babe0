package plan

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// LoadSettings are the settings of a load, with their places in the plan document and without flags. A
// kind of traffic makes flags of those that it lets people choose, in its own words; the others stand
// in the document all the same.
type LoadSettings struct {
	Seed, Clients, Pipeline, Operations, Duration, ThinkTime, ClientStages, StartClients, Rate, Arrivals,
	Stages, Pacing, Realtime, MaxClients,
	MaxWaiting, Ramp, WarmupClients, WarmupOperations, WarmupTime, Drain,
	Timeout, MaxRetries, InitialBackoff, MaxBackoff *setting.Setting
}

// Settings declares the settings of the load.
func (l *Load) Settings() *LoadSettings {
	r := &l.Retry
	return &LoadSettings{
		Seed:       setting.Count(&l.Seed, "", "number", "").At("load.seed"),
		Clients:    setting.Count(&l.Clients, "", "count", "").At("load.clients"),
		Pipeline:   setting.Count(&l.Pipeline, "", "count", "").At("load.pipeline"),
		Operations: setting.Count(&l.Operations, "", "count", "").At("load.operations").OmitZero(),
		Duration:   Time(&l.Duration, "", "").At("load.duration_ns").OmitZero(),
		ThinkTime:  Time(&l.ThinkTime, "", "").At("load.think_time_ns").OmitZero(),
		ClientStages: setting.Of(&l.ClientStages, "", "stages", "", ParseClientStages, FormatClientStages).
			At("load.client_stages").OmitZero(),
		StartClients: setting.Count(&l.StartClients, "", "count", "").At("load.start_clients").OmitZero(),
		Rate:         setting.Rate(&l.Rate, "", "").At("load.rate_per_s").OmitZero().SaysLoad(),
		Arrivals:     setting.Word(&l.Arrivals, "", "kind", "").At("load.arrivals").OmitZero(),
		Stages: setting.Of(&l.Stages, "", "stages", "", ParseStages, FormatStages).
			At("load.stages").OmitZero(),
		Pacing:        setting.Word(&l.Pacing, "", "way", "", Auto, Spin, Sleep).At("load.pacing").OmitZero(),
		Realtime:      setting.Switch(&l.Realtime, "", "").At("load.realtime").OmitZero(),
		MaxClients:    setting.Count(&l.MaxClients, "", "count", "").At("load.max_clients").OmitZero(),
		MaxWaiting:    setting.Count(&l.MaxWaiting, "", "count", "").At("load.max_waiting").OmitZero(),
		Ramp:          Time(&l.Ramp, "", "").At("load.ramp_ns").OmitZero(),
		WarmupClients: setting.Count(&l.WarmupClients, "", "count", "").At("load.warmup_clients").OmitZero(),
		WarmupOperations: setting.Count(&l.WarmupOperations, "", "count", "").
			At("load.warmup_operations").OmitZero(),
		WarmupTime:     Time(&l.WarmupTime, "", "").At("load.warmup_time_ns").OmitZero(),
		Drain:          Time(&l.Drain, "", "").At("load.drain_ns"),
		Timeout:        Time(&r.Timeout, "", "").At("load.retry.timeout_ns"),
		MaxRetries:     setting.Count(&r.Max, "", "count", "").At("load.retry.max_retries"),
		InitialBackoff: Time(&r.InitialBackoff, "", "").At("load.retry.initial_backoff_ns"),
		MaxBackoff:     Time(&r.MaxBackoff, "", "").At("load.retry.max_backoff_ns"),
	}
}

// Shaped reports whether a flag was given that says how much load there is to be. How long its phases last, and
// what follows when an attempt fails, says nothing of that.
func (s *LoadSettings) Shaped(given func(flag string) bool) bool {
	return slices.ContainsFunc(s.shape(), func(one *setting.Setting) bool { return one.Name != "" && given(one.Name) })
}

// shape are the settings that say how much load there is to be.
func (s *LoadSettings) shape() []*setting.Setting {
	return []*setting.Setting{
		s.Clients, s.Pipeline, s.Operations, s.ThinkTime, s.ClientStages, s.Rate, s.Arrivals, s.Stages, s.Pacing,
		s.Realtime, s.MaxClients, s.MaxWaiting, s.Ramp,
	}
}

// Rest are the settings that have no flag.
func (s *LoadSettings) Rest() []*setting.Setting {
	all := []*setting.Setting{
		s.Seed, s.Clients, s.Pipeline, s.Operations, s.Duration, s.ThinkTime, s.ClientStages, s.StartClients,
		s.Rate, s.Arrivals, s.Stages, s.Pacing, s.Realtime, s.MaxClients, s.MaxWaiting, s.Ramp,
		s.WarmupClients, s.WarmupOperations, s.WarmupTime, s.Drain,
		s.Timeout, s.MaxRetries, s.InitialBackoff, s.MaxBackoff,
	}
	return slices.DeleteFunc(all, func(one *setting.Setting) bool { return one.Name != "" })
}

// Failures makes flags of the settings that say what follows when an attempt fails. timeout is the help
// of the first.
func (s *LoadSettings) Failures(timeout string) []*setting.Setting {
	return []*setting.Setting{
		s.Timeout.Flag("timeout", timeout),
		s.MaxRetries.Flag("max-retries", "retries of a failed operation"),
		s.InitialBackoff.Flag("initial-backoff", "pause before the first retry; doubles with each retry"),
		s.MaxBackoff.Flag("max-backoff", "maximum pause before a retry"),
	}
}

// Time is a length of time that is neither negative nor longer than what a slip of the finger could
// mean.
func Time(into *time.Duration, name, help string) *setting.Setting {
	return setting.Duration(into, name, help).Rule(func(flag string) error {
		switch {
		case *into < 0:
			return usage("%s is %v: it cannot be negative", flag, *into)
		case *into > MaxTime:
			return usage("%s is %v: at most %v", flag, *into, MaxTime)
		}
		return nil
	})
}

// Settings declares the settings of the files. An operation is called by its name.
func (o *Output) Settings(operation string) []*setting.Setting {
	return []*setting.Setting{
		setting.Output(&o.Samples, "samples", "file",
			"write a row for each "+operation+" to this CSV file during the run; .parquet: "+
				"converted to Parquet at the end").
			At("output.samples").OmitZero().Ending("csv", "parquet").OfResults(),
		setting.Output(&o.Buckets, "buckets", "file", "write throughput per --bucket to this CSV file").
			At("output.buckets").OmitZero().Ending("csv").OfResults(),
		setting.Duration(&o.Bucket, "bucket", "bucket length in whole seconds").At("output.bucket_ns").
			OfResults().
			Rule(func(flag string) error { return CheckBucket(flag, o.Bucket) }),
		Chart(&o.Chart, "draw throughput and response times over time to this .svg or .png file").At("output.chart").
			OmitZero(),
	}
}

// WarmupSamples declares whether the samples are those of the whole run.
func (o *Output) WarmupSamples() *setting.Setting {
	return setting.Switch(&o.Warmup, "samples-warmup",
		"with --samples: include warm-up and ramp, with the phase as last column").
		At("output.samples_warmup").OmitZero().OfResults().
		Rule(func(flag string) error {
			if o.Warmup && o.Samples == "" {
				return usage("%s needs --samples", flag)
			}
			return nil
		})
}

// Chart is the name of a file with a drawing.
func Chart(into *string, help string) *setting.Setting {
	return setting.Output(into, "chart", "file", help).Ending("svg", "png").OfResults().Rule(func(flag string) error {
		if ext := strings.ToLower(filepath.Ext(*into)); *into != "" && ext != ".png" && ext != ".svg" {
			return usage("%s %q must end in .png or .svg", flag, *into)
		}
		return nil
	})
}

// CheckBucket says what is wrong with the width of a bucket.
func CheckBucket(flag string, width time.Duration) error {
	if width < time.Second || width%time.Second != 0 {
		return usage("%s is %v: it must be whole seconds, at least 1s", flag, width)
	}
	return nil
}

// CheckFiles makes sure that no two files are the same. It does not look at the disk.
func (o *Output) CheckFiles() error {
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
				Hint("use a different file for each")
		}
		files[clean] = f.flag
	}
	return nil
}

// usage is a usage error without a hint.
func usage(format string, args ...any) *fault.Error {
	return fault.New(fault.Usage, format, args...)
}
