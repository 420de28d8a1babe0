package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/redact"
	kvtarget "github.com/plimsoll/plimsoll/internal/server/kv"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/s3"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth"
)

// kvData are the places of --data. The stores among them must be closed, by the function.
func kvData(
	ctx context.Context, names []string, endpoint string, timeout time.Duration,
) ([]kvtarget.Data, func() error, error) {
	var all []kvtarget.Data
	var opened []store.Store
	release := func() error {
		var err error
		for _, s := range opened {
			err = errors.Join(err, s.Close())
		}
		return err
	}
	for _, name := range names {
		scheme, _, found := strings.Cut(name, "://")
		if !found {
			all = append(all, kvtarget.Directory(name))
			continue
		}
		if scheme != "s3" && scheme != "s3a" {
			wrong := fault.New(fault.Usage, "--data needs a directory or an S3 bucket, not %s://", scheme).
				Hint("write s3://BUCKET/PATH, or copy the files to a local directory")
			return nil, nil, errors.Join(wrong, release())
		}
		b, err := openDataBucket(ctx, name, endpoint, timeout)
		if err != nil {
			return nil, nil, errors.Join(err, release())
		}
		opened = append(opened, b.store)
		all = append(all, b)
	}
	return all, release, nil
}

// dataBucket is a path in a bucket, as a place with delta files.
type dataBucket struct {
	store.Lister
	store store.Store
	name  string
	path  string
}

// openDataBucket opens a bucket. The credentials are those of the environment and the shared
// files, as for 'plimsoll bandwidth'.
func openDataBucket(ctx context.Context, raw, endpoint string, timeout time.Duration) (*dataBucket, error) {
	driver := s3.Driver()
	u, err := store.Drivers{driver}.ParseURL(raw)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, fault.New(fault.Usage, "--data %q is not a path in a bucket", redact.URL(raw)).
			Hint("write s3://BUCKET/PATH")
	}
	shown := driver.Show(u, u.Path)
	d := bandwidth.DefaultPlan()
	opened, err := s3.Open(ctx, store.Config{
		URL: u, Block: d.Block, PartSize: d.PartSize, ActiveParts: d.ActiveBlocks,
		Checksum: d.Checksum, Retries: int(d.Retries),
		Endpoint: endpoint, PathStyle: endpoint != "", Timeout: timeout, Silence: d.MaxSilence,
		Settings: &hadoop.Settings{}, Requests: &store.Requests{},
	})
	if err != nil {
		return nil, fault.New(fault.RunFailed, "--data %s: %w", shown, err).
			Hint("docs/kv.md describes where credentials are read from")
	}
	l, ok := opened.(store.Lister)
	if !ok {
		wrong := fault.New(fault.Usage, "--data %s: this store cannot list its files", shown)
		return nil, errors.Join(wrong, opened.Close())
	}
	return &dataBucket{Lister: l, store: opened, name: shown, path: strings.TrimRight(u.Path, "/")}, nil
}

func (b *dataBucket) Name() string { return b.name }

func (b *dataBucket) List(ctx context.Context) ([]kvtarget.File, error) {
	entries, err := b.Lister.List(ctx, b.path)
	var all []kvtarget.File
	for _, e := range entries {
		all = append(all, kvtarget.File{Name: e.Name, Version: e.Version})
	}
	return all, err
}

func (b *dataBucket) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	file, err := b.store.Open(ctx, b.path+"/"+name)
	if err != nil {
		return nil, err
	}
	stream, err := file.Stream(ctx)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &streamOfFile{stream, file}, nil
}

// streamOfFile closes the file with its stream.
type streamOfFile struct {
	io.ReadCloser
	file store.File
}

func (s *streamOfFile) Close() error { return errors.Join(s.ReadCloser.Close(), s.file.Close()) }

var errNotWatched = errors.New("a bucket does not report new objects")

// Watch cannot be done.
func (b *dataBucket) Watch(context.Context, chan<- struct{}) error { return errNotWatched }
