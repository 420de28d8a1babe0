package cli

import (
	"os"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

// openSamples begins a file of samples with its header, or returns nil when path is "".
func openSamples(path, header string, format func([]byte, *record.Sample) []byte, view *liveView) (*record.Samples, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fault.New(fault.Usage, "--samples: %w", err)
	}
	return record.NewSamples(f, header, format, func(err error) {
		view.note("--samples: " + oneLine(err.Error()) + "; the run goes on without the file")
	}), nil
}

// closeSamples completes a file of samples and tells what became of it.
func closeSamples(s *record.Samples, path string) *rundoc.SamplesFile {
	if s == nil {
		return nil
	}
	file := &rundoc.SamplesFile{Path: path}
	var err error
	if file.Written, file.Lost, err = s.Close(); err != nil {
		file.Error = err.Error()
	}
	return file
}
