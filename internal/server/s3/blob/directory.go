package blob

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path"
)

// directory is a medium of one file for each blob. The names are made here, not by clients.
type directory struct {
	root    *os.Root
	buffers buffers
}

// DataDir holds the blobs.
const DataDir = "data"

// blobName is a new name: the first letter is that of its directory.
func blobName() string {
	id := rand.Text()
	return path.Join(DataDir, id[:1], id)
}

func (d *directory) fill(b *Blob, src Source) error {
	b.name = blobName()
	f, err := d.create(b.name)
	if err != nil {
		return fmt.Errorf("cannot store data: %w", err)
	}
	buffer := d.buffers.get(src.Size())
	defer d.buffers.put(buffer)
	err = drain(src, buffer, func(data []byte) error {
		_, err := f.Write(data)
		return err
	})
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

func (d *directory) create(name string) (*os.File, error) {
	if err := d.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return nil, err
	}
	return d.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
}

func (d *directory) open(b *Blob, offset, size, _ int64) (io.Reader, func(), error) {
	f, err := d.root.Open(b.name)
	if err != nil {
		return nil, nil, err
	}
	done := func() { _ = f.Close() } // nothing was written
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		done()
		return nil, nil, err
	}
	return &io.LimitedReader{R: f, N: size}, done, nil
}

// free removes the file. What is left after a failure is removed at the next start.
func (d *directory) free(b *Blob) { _ = d.root.Remove(b.name) }

func (d *directory) close() error { return d.root.Close() }
