package infile

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// MaxPipe is how many bytes of a pipe or of a device are read. They are kept in memory.
const MaxPipe = 64 << 20

// Files opens files for one command. Its zero value is ready for use.
type Files struct {
	pipes map[string][]byte // what pipes and devices have given, which can be read only once
}

// Open opens a file for reading. A pipe or a device is read at once and kept, so that it can be opened again.
func (f *Files) Open(name string) (io.ReadCloser, error) {
	if data, known := f.pipes[name]; known {
		return io.NopCloser(bytes.NewReader(data)), nil
	}
	file, info, err := open(name)
	if err != nil || info.Mode().IsRegular() {
		return file, err
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxPipe+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if len(data) > MaxPipe {
		return nil, fault.New(fault.Usage, "%s is a pipe or device with more than 64 MiB", name).
			Hint("write the data to a file and name that file")
	}
	if f.pipes == nil {
		f.pipes = map[string][]byte{}
	}
	f.pipes[name] = data
	return io.NopCloser(bytes.NewReader(data)), nil
}

// open opens a file, but no directory.
func open(name string) (*os.File, fs.FileInfo, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}

// Read reads a file that is used once, such as one of certificates or of credentials, of at most most bytes.
func Read(name string, most int64) ([]byte, error) {
	file, _, err := open(name)
	if err != nil {
		return nil, err
	}
	data, err := ReadAll(file, name, most)
	return data, errors.Join(err, file.Close())
}

// ReadAll reads from, which is called name in errors, to its end. It is an error if it has more than most bytes.
func ReadAll(from io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, TooLarge(name, most)
	}
	return data, err
}

// TooLarge returns the error for a file of more than most bytes.
func TooLarge(name string, most int64) error {
	unit, of := "KiB", int64(1<<10)
	switch {
	case most >= 1<<30:
		unit, of = "GiB", 1<<30
	case most >= 1<<20:
		unit, of = "MiB", 1<<20
	}
	return fault.New(fault.Usage, "%s is larger than %d %s", name, most/of, unit).
		Hint("use another file, or a part of it")
}

// MaxPEM is how large a file of certificates or of keys may be; that of the authorities of a system has 250 KB.
const MaxPEM = 16 << 20

// KeyPair reads a certificate and its key, in PEM form.
func KeyPair(certificate, key string) (tls.Certificate, error) {
	first, err := Read(certificate, MaxPEM)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("cannot read the certificate: %w", err)
	}
	second, err := Read(key, MaxPEM)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("cannot read the key: %w", err)
	}
	return tls.X509KeyPair(first, second)
}
