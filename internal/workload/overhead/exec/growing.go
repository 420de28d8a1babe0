package exec

import (
	"bytes"
	"io"
	"os"
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
