package throughput

import (
	"context"
	"log/slog"
)

// NewLogger returns an Observer that writes one record for each attempt: at the level Debug,
// and Warn if it failed. What is not known is left out. Rates are in bytes per second, times
// durations. A nil logger is slog.Default. The handler gets the request's context.
func NewLogger(l *slog.Logger) Observer {
	return ObserverFunc(func(ctx context.Context, t *Timeline) {
		logger := l
		if logger == nil {
			logger = slog.Default()
		}
		level := slog.LevelDebug
		if t == nil {
			return
		}
		if t.Err != nil {
			level = slog.LevelWarn
		}
		if logger.Enabled(ctx, level) {
			logger.LogAttrs(ctx, level, "http attempt", t.attrs()...)
		}
	})
}

// LogValue makes a Timeline a group of a record of slog.
func (t *Timeline) LogValue() slog.Value {
	if t == nil {
		return slog.Value{}
	}
	return slog.GroupValue(t.attrs()...)
}

func (t *Timeline) attrs() []slog.Attr {
	attrs := []slog.Attr{
		slog.String("method", t.Method), slog.String("host", t.Host), slog.Int("attempt", t.Attempt),
		slog.String("write_quality", string(t.WriteQuality())), slog.String("read_quality", string(t.ReadQuality())),
		slog.Int64("request_bytes", t.RequestBytes), slog.Int64("response_bytes", t.ResponseBytes),
		slog.Bool("reused", t.Reused),
	}
	if t.Status != 0 {
		attrs = append(attrs, slog.Int("status", t.Status), slog.String("proto", t.Proto))
	}
	if t.Err != nil {
		attrs = append(attrs, slog.Any("error", t.Err))
	}
	for _, limit := range []struct {
		name string
		is   Limit
	}{{"write_limit", t.WriteLimit()}, {"read_limit", t.ReadLimit()}} {
		if limit.is != "" {
			attrs = append(attrs, slog.String(limit.name, string(limit.is)))
		}
	}
	for _, d := range t.Durations() {
		attrs = append(attrs, slog.Duration(d.Name, d.Value))
	}
	for _, r := range t.Rates() {
		attrs = append(attrs, slog.Float64(r.Name, r.Value))
	}
	return attrs
}
