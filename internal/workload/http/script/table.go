package script

import (
	"cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/table"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// table reads the table that the file names.
func (r *reader) table(n *yamltree.Node) error {
	if n == nil {
		return nil
	}
	name, err := r.text(n, keyTable)
	if err != nil {
		return err
	}
	f, err := r.options.Open(name)
	if err != nil {
		return r.wrong(n, "%w", err).Hint("%s", cmp.Or(fault.HintOf(err), lookedFor))
	}
	defer func() { _ = f.Close() }()
	r.script.Columns, r.script.Rows, err = table.Read(name, f)
	r.known.Columns = r.script.Columns
	return err
}

// lookedFor is the hint for the name of a file that cannot be opened.
const lookedFor = "relative names are resolved from the current directory"
