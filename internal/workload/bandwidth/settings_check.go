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
		return usage("--timeout is 0: no request can end in no time").
			Hint("leave it out for the time that the store's client has")
	case given("max-retries") && p.Retries < 0:
		return usage("--max-retries is %d: it must be from 0 to %d", p.Retries, plan.MaxRetries).
			Hint("leave it out for as many as the store's client has; 0 is none")
	case given("duration") && p.Duration == 0:
		return usage("--duration is 0: it must be a time in which an iteration can begin").
			Hint("for one iteration, leave it out and say --repeat 1")
	case given("part-size") && p.PartSize == 0:
		return usage("--part-size is 0 bytes: it must be at least 1").
			Hint("leave it out for the default, 8 MiB or a block")
	}
	return nil
}

// atMostMaxTime is the rule of a time that may be 0.
func atMostMaxTime(t *time.Duration) func(flag string) error {
	return func(flag string) error {
		if *t < 0 || *t > plan.MaxTime {
			return usage("%s is %v: it must be from 0 to %v", flag, *t, plan.MaxTime)
		}
		return nil
	}
}

func (p *Plan) checkSize() error {
	if p.Size < 0 {
		return usage("the size is %d bytes: it cannot be negative", p.Size)
	}
	return nil
}

func (p *Plan) checkStreams(flag string) error {
	switch {
	case p.Streams < 1:
		return usage("%s is %d: it must be from 1 to %d", flag, p.Streams, maxStreams).
			Hint("leave it out for one file at a time")
	case p.Streams > maxStreams:
		return usage("%s is %d: it must be from 1 to %d", flag, p.Streams, maxStreams).
			Hint("share the load among several machines, or repeat with fewer: %s 100 --repeat 10", flag)
	}
	return nil
}

func (p *Plan) checkBlock(flag string) error {
	switch {
	case p.Block < 1:
		return usage("%s is %d bytes: it must be at least 1", flag, p.Block)
	case p.Block > maxBlock:
		return usage("%s is %d bytes: at most 4 GiB, because blocks are held in memory", flag, p.Block)
	}
	return nil
}

func (p *Plan) checkBlocks() error {
	if p.Size/p.Block > maxBlocks {
		return usage("%d bytes in blocks of %d are more than %d blocks", p.Size, p.Block, maxBlocks).
			Hint("use larger blocks, such as --block 8m")
	}
	return nil
}

func (p *Plan) checkPartSize(flag string) error {
	if p.PartSize < 0 {
		return usage("%s is %d bytes: it cannot be negative", flag, p.PartSize)
	}
	return nil
}

func (p *Plan) checkRetries(flag string) error {
	if p.Retries < -1 || p.Retries > plan.MaxRetries {
		return usage("%s is %d: it must be from 0 to %d", flag, p.Retries, plan.MaxRetries)
	}
	return nil
}

func (p *Plan) checkCSV() error {
	for _, c := range []struct {
		flag string
		set  bool
	}{{"csv-iteration", p.CSVIteration}, {"csv-stream", p.CSVStream}} {
		if c.set && p.CSV == "" {
			return usage("--%s is about the file of --csv, which is not given", c.flag).Hint("add --csv FILE")
		}
	}
	return nil
}

// checkUpload refuses settings that mean nothing in a run that only uploads.
func (p *Plan) checkUpload() error {
	if p.Only == OnlyUpload && p.Policy != "" {
		return usage("--policy says how to read, and --only upload reads nothing").Hint("leave one of them out")
	}
	return nil
}

// checkDownload refuses settings that mean nothing in a run that only downloads.
func (p *Plan) checkDownload() error {
	if p.Only != OnlyDownload {
		return nil
	}
	if p.URL == "" {
		return usage("--only download needs the URL of a file that is there").
			Hint("make one with --only upload --keep, and name it")
	}
	for _, f := range []struct {
		flag string
		set  bool
	}{
		{"flush", p.Flush}, {"hflush", p.HFlush}, {"rename", p.Rename}, {"keep", p.Keep},
		{"overwrite", p.Overwrite}, {"payload-signing", p.PayloadSigning},
	} {
		if f.set {
			return usage("--%s is about what is written, and --only download writes nothing", f.flag).
				Hint("leave one of them out")
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
		return usage("--ca and --insecure are both given: --insecure would make --ca pointless").
			Hint("leave one of them out")
	case given && strings.HasPrefix(address, "http:"):
		return usage("--ca and --insecure mean nothing without TLS, and %s has none", redact.URL(address)).
			Hint("write https:, or leave them out")
	}
	return nil
}

func (p *Plan) checkLength() error {
	switch {
	case p.Duration > 0 && p.Repeat > 0:
		return usage("--repeat and --duration are both given: only one can end the run").
			Hint("leave one of them out")
	case p.Duration == 0 && p.Repeat < 1:
		return usage("--repeat is %d: it must be at least 1", p.Repeat)
	case p.Repeat > maxRepeat:
		return usage("--repeat is %d: at most %d", p.Repeat, maxRepeat)
	}
	return nil
}
