package bandwidth

import (
	"cmp"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
)

// Bounds of a bandwidth run. Those of the stores are checked by the stores.
const (
	maxBlock   = 4 << 30 // a block is in memory, several times
	maxStreams = 10_000
	maxActive  = 10_000
	maxRepeat  = 1_000_000
	// maxBlocks bounds what the checks of a download and an order of blocks take.
	maxBlocks = 100_000_000
)

// usage is a usage error without a hint.
func usage(format string, args ...any) *fault.Error { return fault.New(fault.Usage, format, args...) }

// CheckGiven refuses what was given and would be taken for not given, since it is what stands
// for that in a plan. given reports whether the flag of that name was set by the user.
func (p *Plan) CheckGiven(given func(flag string) bool) error {
	switch {
	case given("timeout") && p.Timeout == 0:
		return usage("--timeout must be above 0").
			Hint("omit it to use the default of the store client")
	case given("max-retries") && p.Retries < 0:
		return usage("--max-retries %d is out of range: it must be between 0 and %d", p.Retries, plan.MaxRetries).
			Hint("omit it to use the default of the store client; 0 disables retries")
	case given("duration") && p.Duration == 0:
		return usage("--duration must be above 0").
			Hint("for a single iteration, use --iterations 1 instead")
	case given("part-size") && p.PartSize == 0:
		return usage("--part-size must be at least 1 byte").
			Hint("omit it to use the default (8 MiB, or a block if that is larger)")
	}
	return nil
}

// atMostMaxTime is the rule of a time that may be 0.
func atMostMaxTime(t *time.Duration) func(flag string) error {
	return func(flag string) error {
		if *t < 0 || *t > plan.MaxTime {
			return usage("%s %v is out of range: it must be between 0 and %v", flag, *t, plan.MaxTime)
		}
		return nil
	}
}

func (p *Plan) checkSize() error {
	if p.Size < 0 {
		return usage("the size is negative: %d bytes", p.Size)
	}
	return nil
}

func (p *Plan) checkStreams(flag string) error {
	switch {
	case p.Streams < 1:
		return usage("%s %d is out of range: it must be between 1 and %d", flag, p.Streams, maxStreams).
			Hint("omit it to move one file at a time")
	case p.Streams > maxStreams:
		return usage("%s %d is out of range: it must be between 1 and %d", flag, p.Streams, maxStreams).
			Hint("use several machines, or fewer streams and more repetitions: %s 100 --iterations 10", flag)
	}
	return nil
}

func (p *Plan) checkBlock(flag string) error {
	switch {
	case p.Block < 1:
		return usage("%s %d is out of range: it must be at least 1 byte", flag, p.Block)
	case p.Block > maxBlock:
		return usage("%s %d is out of range: blocks are kept in memory and can have at most 4 GiB", flag, p.Block)
	}
	return nil
}

func (p *Plan) checkBlocks() error {
	if p.Size/p.Block > maxBlocks {
		return usage("%d bytes in blocks of %d bytes exceed %d blocks", p.Size, p.Block, maxBlocks).
			Hint("use larger blocks, for example --block 8m")
	}
	return nil
}

func (p *Plan) checkPartSize(flag string) error {
	if p.PartSize < 0 {
		return usage("%s is negative: %d bytes", flag, p.PartSize)
	}
	return nil
}

func (p *Plan) checkRetries(flag string) error {
	if p.Retries < -1 || p.Retries > plan.MaxRetries {
		return usage("%s %d is out of range: it must be between 0 and %d", flag, p.Retries, plan.MaxRetries)
	}
	return nil
}

func (p *Plan) checkCSV() error {
	for _, c := range []struct {
		flag string
		set  bool
	}{{"csv-iteration", p.CSVIteration}, {"csv-stream", p.CSVStream}} {
		if c.set && p.CSV == "" {
			return usage("--%s needs --csv", c.flag).Hint("add --csv FILE")
		}
	}
	return nil
}

// checkUpload refuses settings that mean nothing in a run that only uploads.
func (p *Plan) checkUpload() error {
	if p.Only == OnlyUpload && p.Policy != "" {
		return usage("--policy cannot be combined with --only upload, which reads nothing").Hint("remove one of them")
	}
	return nil
}

// checkDownload refuses settings that mean nothing in a run that only downloads.
func (p *Plan) checkDownload() error {
	if p.Only != OnlyDownload {
		return nil
	}
	if p.URL == "" {
		return usage("--only download needs the URL of an existing file").
			Hint("create one with --only upload --keep, then give its URL")
	}
	for _, f := range []struct {
		flag string
		set  bool
	}{
		{"flush", p.Flush}, {"hflush", p.HFlush}, {"rename", p.Rename}, {"keep", p.Keep},
		{"overwrite", p.Overwrite}, {"payload-signing", p.PayloadSigning},
	} {
		if f.set {
			return usage("--%s cannot be combined with --only download, which writes nothing", f.flag).
				Hint("remove one of them")
		}
	}
	return nil
}

// checkTrust refuses settings of certificates that mean nothing.
func (p *Plan) checkTrust() error {
	given := p.CAFile != "" || p.Insecure
	address := strings.ToLower(cmp.Or(p.Endpoint, p.URL))
	switch {
	case p.CAFile != "" && p.Insecure:
		return usage("--ca and --insecure cannot be combined").
			Hint("remove one of them")
	case given && strings.HasPrefix(address, "http:"):
		return usage("--ca and --insecure need TLS, but %s does not use it", redact.URL(address)).
			Hint("use https:, or remove them")
	}
	return nil
}

func (p *Plan) checkLength() error {
	switch {
	case p.Duration > 0 && p.Repeat > 0:
		return usage("--iterations and --duration cannot be combined").
			Hint("remove one of them")
	case p.Duration == 0 && p.Repeat < 1:
		return usage("--iterations %d is out of range: it must be at least 1", p.Repeat)
	case p.Repeat > maxRepeat:
		return usage("--iterations %d is out of range: it must be at most %d", p.Repeat, maxRepeat)
	}
	return nil
}
