package run

import (
	"context"
	"fmt"
	"os"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/samples"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Samples is a file of samples: its header, and how an operation becomes a row of it.
type Samples struct {
	Path   string
	Header string
	Format func(row []byte, s *record.Sample) []byte
	All    bool // with those of the warm-up and the ramp
}

// stream is the file that the rows are written to while the run goes on: of one that is to be Parquet, which has its
// end where what it says of its columns stands, CSV beside it.
func (s *Samples) stream() string {
	if !samples.IsParquet(s.Path) {
		return s.Path
	}
	return s.Path + samples.StreamEnding
}

// openSamples begins a file of samples with its header, or returns nil when there is none.
func (r *Run) openSamples(s *Samples) (*record.Samples, error) {
	if s.Path == "" {
		return nil, nil
	}
	f, err := r.Env.Files.Stream(s.stream())
	if err != nil {
		return nil, fault.New(fault.Usage, "--samples: cannot write %s: %w", s.stream(), outfile.Reason(err)).
			Hint("use a writable file that no other program writes")
	}
	return record.NewSamples(f, s.Header, s.Format, func(err error) {
		r.View.Note("--samples: " + err.Error() + "; the run continues without the file")
	}), nil
}

// closeSamples completes a file of samples and tells what became of it. hard ends what takes long: the rows stay in the
// file to which they were streamed.
func (r *Run) closeSamples(hard context.Context, s *record.Samples, of *Samples) *rundoc.SamplesFile {
	if s == nil {
		return nil
	}
	file := &rundoc.SamplesFile{Path: of.stream()}
	var err error
	if file.Written, file.Lost, err = s.Close(); err != nil {
		r.Spoiled(file, err)
		r.spoiled[of.Path] = r.spoiled[of.stream()]
		return file
	}
	if file.Path == of.Path {
		return file
	}
	end := r.View.Begin("converting the samples to Parquet", nil)
	_, err = samples.Convert(hard, r.Env.Files, file.Path, of.Path, true)
	end()
	if err == nil {
		err = os.Remove(file.Path)
	}
	if err != nil {
		file.Error = outfile.Reason(err).Error()
		r.spoil(of.Path, fmt.Errorf("%w; all samples are in %s: use 'plimsoll samples convert'", err, file.Path))
		return file
	}
	file.Path = of.Path
	return file
}

// spoil has the run fail for a file that was to be written while it went on.
func (r *Run) spoil(path string, why error) {
	if r.spoiled == nil {
		r.spoiled = make(map[string]error)
	}
	r.spoiled[path] = why
}

// Spoiled tells of a file that was written while the run went on, and is closed, that an error has ended it: it does
// not keep its name, the run fails, and its document says where what was written is.
func (r *Run) Spoiled(file *rundoc.SamplesFile, err error) {
	err = outfile.Reason(err)
	file.Error = err.Error()
	given := file.Path
	why := fmt.Errorf("%s: %w", given, err)
	switch file.Path = outfile.Spoil(given); {
	case file.Path == given:
	case file.Written > 0:
		why = fmt.Errorf("%w; the first %s are in %s", why, units.Number(file.Written), file.Path)
	default:
		why = fmt.Errorf("%w; all are lost; the incomplete file is %s", why, file.Path)
	}
	r.spoil(given, why)
}

// Status is how an operation ended, in a word: ok, unfinished, or the cause of its failure.
func Status(s *record.Sample) string {
	switch {
	case s.Outcome == record.OK:
		return "ok"
	case s.Outcome == record.Unfinished:
		return "unfinished"
	case s.Cause == "":
		return "failed"
	}
	return s.Cause
}
