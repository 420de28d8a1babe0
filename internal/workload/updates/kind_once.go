package updates

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
)

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
