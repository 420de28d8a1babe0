package updates

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
)

// once makes one of several runs, with a server of its own if that is the embedded one. It is not
// prepared to be saved. what says which of them it is.
func (c *Command) once(soft, hard context.Context, env *run.Env, p Plan, what string) (*oneRun, *run.Found, error) {
	p.CommitBase = time.Now().UnixNano()
	r := c.newRun(env, p, c.Forms)
	r.life.View.Among(what, 0, 0, 0)
	found, err := r.life.Measure(soft, hard)
	return r, found, err
}

// tell says on stderr how several runs go on, unless nobody wants to know.
func (c *Command) tell(env *run.Env, format string, args ...any) {
	if !c.Quiet && !c.JSON {
		fmt.Fprintf(env.Stderr, format+"\n", args...)
	}
}

// writeLine writes a run document as one line.
func writeLine(w io.Writer, doc *rundoc.Run) error {
	var text, line bytes.Buffer
	err := rundoc.Write(&text, doc)
	if err == nil {
		err = json.Compact(&line, text.Bytes())
	}
	if err == nil {
		line.WriteByte('\n')
		_, err = w.Write(line.Bytes())
	}
	if err != nil {
		return fault.New(fault.RunFailed, "cannot write the run document: %w", err)
	}
	return nil
}

// stageOf is a stage of a run, or an empty one.
func stageOf(d *rundoc.UpdatesDetail, name string) rundoc.Summary {
	for i := range d.Stages {
		if d.Stages[i].Name == name {
			return d.Stages[i].Summary
		}
	}
	return rundoc.Summary{}
}
