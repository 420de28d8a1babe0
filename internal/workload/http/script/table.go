package script

import (
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
	data, err := r.options.Read(name)
	if err != nil {
		return r.wrong(n, "%w", err).Hint("names of files are looked for from where the command runs")
	}
	r.script.Columns, r.script.Rows, err = table.Read(name, data)
	r.known.Columns = r.script.Columns
	return err
}
