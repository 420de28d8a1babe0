package exec

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/plimsoll/plimsoll/internal/run"
)

// growthAtOnce bounds what is read of a trace at once; the rest is for the next time.
const growthAtOnce = 64 << 20

// growingTrace counts the calls in a trace that is being written.
type growingTrace struct {
	path       string
	read       int64 // bytes, to the end of a line
	n, errored int64
}

// calls is how many there are until now, and how many had an error. What cannot be read is not counted: it
// is read once more in the end.
func (g *growingTrace) calls() (n, errored int64) {
	file, err := os.Open(g.path)
	if err != nil {
		return 0, 0
	}
	defer file.Close()
	text, _ := io.ReadAll(io.NewSectionReader(file, g.read, growthAtOnce))
	for line := range bytes.Lines(text) {
		if line[len(line)-1] != '\n' {
			break
		}
		if g.read += int64(len(line)); g.read == int64(len(line)) {
			continue // the title
		}
		g.n++
		if fields := bytes.SplitN(line, []byte(","), 9); len(fields) == 9 && string(fields[7]) >= "400" {
			g.errored++
		}
	}
	return g.n, g.errored
}

// following says how many calls a command has made by its trace, and how many in a second. How long it goes on, only
// the command knows.
func following(path string) func() run.Live {
	trace := &growingTrace{path: path}
	shown := run.Live{Done: -1, Left: -1, Apart: true}
	read, last := time.Now(), int64(0)
	return func() run.Live {
		if gone := time.Since(read); gone >= time.Second {
			n, errored := trace.calls()
			shown.Measured, shown.Rate, shown.Errors = true, float64(n-last)/gone.Seconds(), errored
			shown.Count = fmt.Sprintf("call %d", n)
			read, last = time.Now(), n
		}
		return shown
	}
}

// during says how far something is that takes so long.
func during(length time.Duration) func() run.Live {
	begun := time.Now()
	return func() run.Live {
		gone := min(time.Since(begun), length)
		return run.Live{Done: float64(gone) / float64(length), Left: length - gone}
	}
}
