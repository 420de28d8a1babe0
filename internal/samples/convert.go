package samples

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
)

// The endings of the names of files, which say their format.
const (
	ParquetEnding = ".parquet"
	LogEnding     = ".hlog"

	// StreamEnding is what the name of a Parquet file has behind it in that of the CSV file that is streamed until it
	// can be made.
	StreamEnding = ".csv"
)

// Stdin is the name of a file that stands for standard input.
const Stdin = "-"

// IsParquet reports whether a file of this name is to be Parquet.
func IsParquet(path string) bool { return strings.EqualFold(filepath.Ext(path), ParquetEnding) }

// Convert writes a CSV file of samples in the format that the name of the new one asks for, which appears when it is
// whole.
func Convert(ctx context.Context, on outfile.Files, from, to string, overwrite bool) (Written, error) {
	in, err := open(from)
	if err != nil {
		return Written{}, fault.New(fault.Usage, "cannot read %s: %w", from, outfile.Reason(err)).
			Hint("use the CSV file of --samples, or of bandwidth --csv")
	}
	defer in.Close()
	return ConvertFrom(ctx, on, in, from, to, overwrite)
}

// open opens a file, and no directory.
func open(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	about, err := f.Stat()
	if err == nil && about.IsDir() {
		err = errors.New("is a directory")
	}
	if err != nil {
		f.Close() // nothing was read
		return nil, err
	}
	return f, nil
}

// ConvertFrom is Convert of what is read somewhere else; name is the one in messages.
func ConvertFrom(
	ctx context.Context, on outfile.Files, in io.Reader, name, to string, overwrite bool,
) (w Written, err error) {
	log := strings.EqualFold(filepath.Ext(to), LogEnding)
	if !log && !IsParquet(to) {
		return Written{}, fault.New(fault.Usage, "%s: the extension does not name a supported format", to).
			Hint("use a name that ends in %s, or in %s for HdrHistogram's tools", ParquetEnding, LogEnding)
	}
	r, err := NewReader(in, name)
	if err != nil {
		return Written{}, err
	}
	out, err := on.Create(to, overwrite)
	if err != nil { // before anything is read: another name is all that it needs
		return Written{}, cannot(fault.Usage, to, err)
	}
	if log {
		w, err = ToLog(ctx, r, name, out)
	} else {
		w, err = ToParquet(ctx, r, out)
	}
	var known *fault.Error
	switch {
	case err == nil:
	case errors.As(err, &known):
		return Written{}, errors.Join(err, out.Abandon())
	case ctx.Err() != nil:
		err = fault.New(fault.Interrupted, "interrupted before %s was complete; nothing was written", to)
		return Written{}, errors.Join(err, out.Abandon())
	default:
		return Written{}, errors.Join(cannot(fault.RunFailed, to, err), out.Abandon())
	}
	if err := out.Commit(); err != nil {
		return Written{}, cannot(fault.RunFailed, to, err)
	}
	return w, nil
}

func cannot(code fault.Code, to string, err error) error {
	e := fault.New(code, "cannot write %s: %w", to, outfile.Reason(err))
	if errors.Is(err, os.ErrExist) {
		return fault.New(fault.Usage, "%w", fmt.Errorf("%s already exists", to)).
			Hint("use another name, or --overwrite to replace it")
	}
	return e.Hint("use a path in an existing, writable directory")
}
