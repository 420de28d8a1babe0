package s3

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
)

// keeper writes down what objects there are, for a server on a directory. A nil keeper
// keeps nothing. Its methods are called under the catalog's lock.
//
//	plimsoll-s3.json             marks the directory, and is locked while a server uses it
//	buckets/NAME/bucket.json     a bucket
//	buckets/NAME/HH/HASH.json    an object; HASH is the SHA-256 of its key, HH its beginning
//	data/X/ID                    a blob
//
// No name is made of what a client sends but those of buckets, which were checked; and
// os.Root lets none lead elsewhere. Uploads that are not complete are not written down: their
// blobs are removed at the next start.
type keeper struct {
	root *os.Root
	lock *os.File
}

const (
	markerFile = "plimsoll-s3.json"
	bucketsDir = "buckets"
	bucketFile = "bucket.json"
	markerText = `{"format": 1}` + "\n"
)

// openKeeper takes a directory, which it makes if it is not there.
func openKeeper(dir string) (*keeper, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	k := &keeper{root: root}
	if err := k.mark(dir); err != nil {
		k.close()
		return nil, errors.Join(err, root.Close())
	}
	for _, name := range []string{bucketsDir, blob.DataDir} {
		if err := root.MkdirAll(name, 0o755); err != nil {
			k.close()
			return nil, errors.Join(err, root.Close())
		}
	}
	return k, nil
}

// mark checks that the directory is ours or nobody's, and locks it.
func (k *keeper) mark(dir string) error {
	if text, err := k.root.ReadFile(markerFile); err == nil {
		if string(text) != markerText {
			return fmt.Errorf("%s: %s was written by another version", dir, markerFile)
		}
	} else {
		entries, err := fs.ReadDir(k.root.FS(), ".")
		if err != nil {
			return err
		}
		if len(entries) > 0 {
			return fmt.Errorf("%s contains other files, such as %s", dir, entries[0].Name())
		}
		if err := k.root.WriteFile(markerFile, []byte(markerText), 0o644); err != nil {
			return err
		}
	}
	f, err := k.root.Open(markerFile)
	if err != nil {
		return err
	}
	k.lock = f
	if err := server.LockFile(f); err != nil {
		return fmt.Errorf("%s is in use by another server: %w", dir, err)
	}
	return nil
}

// close gives up the lock. The root belongs to the medium.
func (k *keeper) close() {
	if k != nil && k.lock != nil {
		_ = k.lock.Close()
	}
}

// write puts a file in its place in one step.
func (k *keeper) write(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := k.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	if err := k.root.WriteFile(name+".new", text, 0o644); err != nil {
		return errors.Join(err, k.remove(name+".new"))
	}
	return k.root.Rename(name+".new", name)
}

func (k *keeper) remove(name string) error {
	if err := k.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

type bucketRecord struct {
	Created time.Time `json:"created"`
}

func (k *keeper) createBucket(name string, created time.Time) error {
	if k == nil {
		return nil
	}
	return k.write(path.Join(bucketsDir, name, bucketFile), bucketRecord{created})
}

func (k *keeper) deleteBucket(name string) error {
	if k == nil {
		return nil
	}
	return k.root.RemoveAll(path.Join(bucketsDir, name))
}

// objectFile is where an object is written down.
func objectFile(bucketName, key string) string {
	digest := sha256.Sum256([]byte(key))
	name := hex.EncodeToString(digest[:])
	return path.Join(bucketsDir, bucketName, name[:2], name+".json")
}

func (k *keeper) saveObject(bucketName string, o *object) error {
	if k == nil {
		return nil
	}
	return k.write(objectFile(bucketName, o.key), recordOf(o))
}

func (k *keeper) deleteObject(bucketName, key string) error {
	if k == nil {
		return nil
	}
	return k.remove(objectFile(bucketName, key))
}

// isNew reports whether a file is one that did not get into its place.
func isNew(name string) bool { return strings.HasSuffix(name, ".new") }
