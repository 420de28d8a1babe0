package show

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// BlockHeader writes the head of the CSV of a bandwidth run's single operations: operation;
// bytes, those of the operation; total, those of its file until the operation's end; duration,
// in milliseconds; and the iteration and the stream, both from 1, if they are asked for.
func BlockHeader(w io.Writer, columns report.RowColumns) error {
	head := `"operation","bytes","total","duration"`
	if columns.Iteration {
		head += `,"iteration"`
	}
	if columns.Stream {
		head += `,"stream"`
	}
	_, err := io.WriteString(w, head+"\n")
	return err
}

// BlockRow writes an operation's row. The duration has three decimals: a microsecond.
func BlockRow(w io.Writer, b rundoc.Block, columns report.RowColumns) error {
	row := make([]byte, 0, 80)
	row = append(row, '"')
	row = append(row, strings.ReplaceAll(b.Operation, `"`, `""`)...)
	row = append(row, '"', ',')
	row = strconv.AppendInt(row, b.Bytes, 10)
	row = append(row, ',')
	row = strconv.AppendInt(row, b.Total, 10)
	row = append(row, ',')
	row = strconv.AppendFloat(row, float64(b.DurationNS)/1e6, 'f', 3, 64)
	if columns.Iteration {
		row = append(row, ',')
		row = strconv.AppendInt(row, int64(b.Iteration), 10)
	}
	if columns.Stream {
		row = append(row, ',')
		row = strconv.AppendInt(row, int64(b.Stream), 10)
	}
	_, err := w.Write(append(row, '\n'))
	return err
}

// FileTotals makes the rows "upload" and "download": the totals of each file, from its create
// or open to the end of its close. The zero value is ready. It keeps what it must know of the
// files that are being transferred and no others.
type FileTotals struct {
	open map[fileKey]rundoc.Block
}

type fileKey struct {
	stream, iteration int
	transfer          string
}

// transferOf is the transfer that an operation is a part of, or "".
func transferOf(operation string) string {
	switch operation {
	case rundoc.OperationCreate, rundoc.OperationUploadBlock, rundoc.OperationFlush, rundoc.OperationCloseUpload:
		return rundoc.OperationUpload
	case rundoc.OperationOpen, rundoc.OperationDownloadBlock, rundoc.OperationCloseDownload:
		return rundoc.OperationDownload
	}
	return ""
}

// Add takes the operations of all files in the order in which they ended. When b closes a
// file, total is the row of its transfer and ok is true: bytes and total are both those of the
// file. A file with an operation that failed has no total.
func (f *FileTotals) Add(b rundoc.Block) (total rundoc.Block, ok bool) {
	transfer := transferOf(b.Operation)
	if transfer == "" {
		return rundoc.Block{}, false
	}
	key := fileKey{b.Stream, b.Iteration, transfer}
	t, begun := f.open[key]
	switch {
	case b.Cause != "":
		delete(f.open, key)
		return rundoc.Block{}, false
	case b.Operation == rundoc.OperationCreate || b.Operation == rundoc.OperationOpen:
		if f.open == nil {
			f.open = map[fileKey]rundoc.Block{}
		}
		t = rundoc.Block{Operation: transfer, Stream: b.Stream, Iteration: b.Iteration, StartNS: b.StartNS}
	case !begun:
		return rundoc.Block{}, false
	default:
		t.Bytes += b.Bytes
	}
	t.DurationNS = b.StartNS + b.DurationNS - t.StartNS
	if b.Operation != rundoc.OperationCloseUpload && b.Operation != rundoc.OperationCloseDownload {
		f.open[key] = t
		return rundoc.Block{}, false
	}
	delete(f.open, key)
	t.Total = t.Bytes
	return t, true
}

// BlockWriter writes the whole CSV, with the totals of the files. It is made with
// NewBlockWriter, and is not safe for concurrent use.
//
// Its operations are create-file, upload-block, flush, close-upload, upload, rename,
// open-for-download, download-block and download. Closing a download and deleting a file have
// no row, because the programs that read such files know none.
type BlockWriter struct {
	w       io.Writer
	columns report.RowColumns
	totals  FileTotals
}

// NewBlockWriter makes a BlockWriter and writes the header to w.
func NewBlockWriter(w io.Writer, columns report.RowColumns) (*BlockWriter, error) {
	return &BlockWriter{w: w, columns: columns}, BlockHeader(w, columns)
}

// Write writes the operation's row, if it has one, and that of its file's total, if it ends it.
func (c *BlockWriter) Write(b rundoc.Block) error {
	switch b.Operation {
	case rundoc.OperationCloseDownload, rundoc.OperationDelete:
	default:
		if err := BlockRow(c.w, b, c.columns); err != nil {
			return err
		}
	}
	if total, ok := c.totals.Add(b); ok {
		return BlockRow(c.w, total, c.columns)
	}
	return nil
}

// blocksOf writes the CSV of a saved run's single operations, as far as the document has
// them; it is an error when it lacks some.
func blocksOf(run *rundoc.Run) report.RowWriter {
	d := run.Bandwidth()
	if d == nil {
		return nil
	}
	return func(w io.Writer, columns report.RowColumns) error {
		b := bufio.NewWriter(w)
		c, err := NewBlockWriter(b, columns)
		for i := 0; err == nil && i < len(d.Blocks); i++ {
			err = c.Write(d.Blocks[i])
		}
		if err := errors.Join(err, b.Flush()); err != nil {
			return err
		}
		if d.BlocksOmitted > 0 {
			return fault.New(fault.RunFailed, "the run document holds only %s of %s operations: the file is incomplete",
				units.Number(int64(len(d.Blocks))), units.Number(int64(len(d.Blocks))+d.BlocksOmitted)).
				Hint("to record all operations, run plimsoll bandwidth --csv FILE")
		}
		return nil
	}
}
