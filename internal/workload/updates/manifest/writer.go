package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// Head is what a run was.
type Head struct {
	ID          string `json:"id"`
	Run         uint64 `json:"run,string"` // in its batches
	Topic       string `json:"topic"`      // without credentials
	AtLeastOnce bool   `json:"at_least_once"`
	Batch       int    `json:"batch"`
	Codec       string `json:"codec"`
	// Generation is the definition of the data; nil for that of Files.
	Generation *delta.Generation `json:"generation,omitempty"`
	Files      []File            `json:"files,omitempty"`
}

// File is one as it was when the run began.
type File struct {
	Path     string    `json:"path"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
}

// Stat looks at files.
func Stat(paths []string) ([]File, error) {
	var list []File
	for _, path := range paths {
		full, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(full)
		if err != nil {
			return nil, err
		}
		list = append(list, File{Path: full, Size: info.Size(), Modified: info.ModTime()})
	}
	return list, nil
}

// Changed reports whether a file is not what it was any more.
func (f File) Changed() bool {
	now, err := Stat([]string{f.Path})
	return err != nil || now[0].Size != f.Size || !now[0].Modified.Equal(f.Modified)
}

const (
	whole = "plimsoll manifest 1 whole\n"
	cut   = "plimsoll manifest 1 cut  \n" // as long: it is written over the other

	// maxSize bounds the file: some 20 million batches.
	maxSize = 512 << 20
	// flushEach is how long an acknowledgement waits to be written, at most, and a disk is waited for after
	// each syncEach of these.
	flushEach = 100 * time.Millisecond
	syncEach  = 10
)

var errLong = fmt.Errorf("it would exceed %d MiB", maxSize>>20)

// disk is the file, or in tests one of which calls fail.
type disk interface {
	io.Writer
	io.WriterAt
	io.Closer
	Name() string
	Sync() error
	Truncate(size int64) error
}

// Writer writes the manifest of a run.
type Writer struct {
	failed func(error)
	most   int64
	stop   chan struct{}
	done   sync.WaitGroup

	mu    sync.Mutex // guards what follows
	file  disk
	lines []byte // that are not written yet
	size  int64
	err   error // why it is not written any more
}

// Create begins a manifest, and the directory for it if need be. failed is told once when it cannot be gone on with:
// what there is of it says so then. One that cannot be begun is not there.
func Create(path string, h Head, failed func(error)) (*Writer, error) {
	return create(path, h, failed, func(f *os.File) disk { return f })
}

func create(path string, h Head, failed func(error), by func(*os.File) disk) (*Writer, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	w := &Writer{failed: failed, most: maxSize, stop: make(chan struct{}), file: by(file)}
	if err := lock(file); err != nil { // it is that of another run
		return nil, errors.Join(err, file.Close())
	}
	if err = w.file.Truncate(0); err == nil {
		_, err = w.file.Write(append(append([]byte(whole), text...), '\n'))
	}
	if err != nil {
		return nil, errors.Join(err, w.file.Close(), os.Remove(path))
	}
	w.size = int64(len(whole) + len(text) + 1)
	w.done.Go(w.keep)
	return w, nil
}

// keep writes what waits, and has it be on the disk now and then.
func (w *Writer) keep() {
	tick := time.NewTicker(flushEach)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-w.stop:
			return
		case <-tick.C:
		}
		w.mu.Lock()
		w.flush()
		over := w.err != nil
		w.mu.Unlock()
		if over {
			return
		}
		if n%syncEach != 0 {
			continue
		}
		// The kernel may have thrown away what it could not write, and says so once.
		if err := w.file.Sync(); err != nil {
			w.mu.Lock()
			w.fail(err)
			w.mu.Unlock()
		}
	}
}

// Sent writes down that a publisher is about to send a batch, before it does.
func (w *Writer) Sent(publisher int, index uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line('s', publisher, index)
	w.flush()
}

// Acknowledged notes that the broker has a batch.
func (w *Writer) Acknowledged(publisher int, sequence uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line('a', publisher, sequence)
}

func (w *Writer) line(kind byte, publisher int, n uint64) {
	if w.err != nil {
		return
	}
	w.lines = append(w.lines, kind, ' ')
	w.lines = strconv.AppendInt(w.lines, int64(publisher), 10)
	w.lines = append(w.lines, ' ')
	w.lines = strconv.AppendUint(w.lines, n, 10)
	w.lines = append(w.lines, '\n')
}

// flush writes what waits. When it cannot, the manifest ends, and says that it is not whole.
func (w *Writer) flush() {
	if w.err != nil {
		return
	}
	err := errLong
	if w.size+int64(len(w.lines)) <= w.most {
		var n int
		n, err = w.file.Write(w.lines)
		w.size += int64(n)
	}
	w.lines = w.lines[:0]
	if err != nil {
		w.fail(err)
	}
}

// fail ends the manifest. One that cannot even say so must not be there: it would be taken for whole.
func (w *Writer) fail(err error) {
	if w.err != nil {
		return
	}
	w.err = err
	if _, err := w.file.WriteAt([]byte(cut), 0); err != nil { // it needs no room
		if gone := os.Remove(w.file.Name()); gone != nil {
			w.err = errors.Join(w.err, err, gone)
		}
	}
	w.failed(w.err)
}

// Close ends it. The file stays.
func (w *Writer) Close() error {
	close(w.stop)
	w.done.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flush()
	w.err = os.ErrClosed
	return w.file.Close()
}

// Remove removes the file of a run that has nothing to tell by it, and the directory if nothing else is in it.
func (w *Writer) Remove() {
	_ = os.Remove(w.file.Name())
	_ = os.Remove(filepath.Dir(w.file.Name()))
}
