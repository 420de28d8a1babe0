package plan

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/setting"
)

// first is the first error of those given, or nil. Its arguments are all evaluated, which
// costs nothing here.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *Load) checkTimes() error {
	for _, t := range []struct {
		flag  string
		value time.Duration
	}{
		{"duration", l.Duration}, {"think-time", l.ThinkTime}, {"ramp", l.Ramp},
		{"warmup-time", l.WarmupTime}, {"drain", l.Drain}, {"timeout", l.Retry.Timeout},
		{"initial-backoff", l.Retry.InitialBackoff}, {"max-backoff", l.Retry.MaxBackoff},
	} {
		if t.value < 0 {
			return usage("--%s is %v: it cannot be negative", t.flag, t.value)
		}
		if t.value > MaxTime {
			return usage("--%s is %v: at most %v", t.flag, t.value, MaxTime)
		}
	}
	return nil
}

// Validate says what is wrong with the names of the files and the width of the buckets. It
// does not look at the disk.
func (o *Output) Validate() error {
	for _, one := range o.Settings("") {
		if err := setting.New(one).Check(); err != nil {
			return err
		}
	}
	return o.CheckFiles()
}
