package outfile

import (
	"io"
	"io/fs"
	"os"
)

// System is what is asked of a file system to write files. That of the machine is there unless a test has another,
// which fails where it is told to. What only looks is asked of the machine.
type System interface {
	OpenFile(name string, flag int, mode fs.FileMode) (Handle, error)
	Mkdir(name string, mode fs.FileMode) error
	Link(from, to string) error
	Rename(from, to string) error
	Remove(name string) error
	// SyncDir waits until the disk has the names in a directory.
	SyncDir(name string) error
}

// Handle is an open file.
type Handle interface {
	io.WriteCloser
	Name() string
	Chmod(mode fs.FileMode) error
	Truncate(size int64) error
	Sync() error
}

// Machine is the file system of the machine.
type Machine struct{}

// OpenFile is os.OpenFile.
func (Machine) OpenFile(name string, flag int, mode fs.FileMode) (Handle, error) {
	f, err := os.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Mkdir is os.Mkdir.
func (Machine) Mkdir(name string, mode fs.FileMode) error { return os.Mkdir(name, mode) }

// Link is os.Link.
func (Machine) Link(from, to string) error { return os.Link(from, to) }

// Rename is os.Rename.
func (Machine) Rename(from, to string) error { return os.Rename(from, to) }

// Remove is os.Remove.
func (Machine) Remove(name string) error { return os.Remove(name) }
