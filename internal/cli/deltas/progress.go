package deltas

import (
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/units"
)

// progress is how far a command is with files of rows, shown on stderr.
type progress struct {
	view  *run.View
	end   func() // takes it away
	begun time.Time
	whole float64 // rows or bytes; 0: not known

	done atomic.Int64 // of the whole
	rows atomic.Int64 // of which every so many are told
	what atomic.Pointer[string]
}

// progressRows is how many rows pass between two that are told.
const progressRows = 1 << 12

// begin shows how far a command is until its end is called.
func begin(env *run.Env, quiet bool, phase string, whole float64) *progress {
	p := &progress{view: run.NewView(env, quiet, report.Kind{}), begun: time.Now(), whole: whole}
	p.end = p.view.Begin(phase, p.live)
	return p
}

// beside is where lines are written that take turns with the progress.
func (p *progress) beside() io.Writer { return p.view.Beside() }

// count counts a row, of rows in all.
func (p *progress) count(rows int64) {
	if rows%progressRows == 0 {
		p.rows.Store(rows)
	}
}

// live is how far it is.
func (p *progress) live() run.Live {
	l := run.Live{Elapsed: time.Since(p.begun), Done: -1, Left: -1, About: true}
	if rows := p.rows.Load(); rows > 0 {
		l.Count = units.Count(rows, "row", "rows")
	}
	if what := p.what.Load(); what != nil {
		l.What = *what
	}
	if done := float64(p.done.Load()); p.whole > 0 && done > 0 {
		l.Done = min(1, done/p.whole)
		l.Left = time.Duration(float64(l.Elapsed) * (1 - l.Done) / l.Done)
	}
	return l
}

// reads is a file whose bytes count as done.
func (p *progress) reads(path string, file io.Reader) io.Reader {
	name := filepath.Base(path)
	p.what.Store(&name)
	return &countedReader{file, &p.done}
}

type countedReader struct {
	io.Reader
	read *atomic.Int64
}

func (r *countedReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.read.Add(int64(n))
	return n, err
}

// bytesOf is how long files are together; 0 when that is not known of all.
func bytesOf(paths []string) (sum float64) {
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		sum += float64(info.Size())
	}
	return sum
}
