package http

import (
	"fmt"
	"io"
	"os"
)

// mostRead bounds the files that are read into memory, for as long as a run goes on.
const mostRead = 1 << 30

// readFile reads a file of at most mostRead bytes, whatever its size is said to be.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	about, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if about.Size() > mostRead {
		return nil, fmt.Errorf("%s has %d bytes, and at most %d are read: take a part of it", name, about.Size(), mostRead)
	}
	data, err := io.ReadAll(io.LimitReader(f, mostRead+1))
	if len(data) > mostRead {
		return nil, fmt.Errorf("%s has more than %d bytes: take a part of it", name, mostRead)
	}
	return data, err
}
