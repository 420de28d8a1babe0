package az

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/plimsoll/plimsoll/internal/store"
)

const (
	defaultPart    = 8 << 20
	largestPart    = 4000 << 20 // of Put Block
	largestBlocks  = 50_000
	defaultActive  = 4
	defaultRetries = 3 // what the SDK takes
)

// az is an opened container.
type az struct {
	config  store.Config
	account *account
	part    int64
	active  int
	retry   policy.RetryOptions
	note    string

	unchecked atomic.Bool // the server takes no checksums of parts

	http      *http.Client
	container *container.Client
	slabs     *store.Slabs
}

// Open opens a container. It does no request.
func Open(_ context.Context, c store.Config) (store.Store, error) {
	if c.Checksum == "sha256" {
		return nil, store.Fail(store.Unsupported, "Azure Blob Storage does not verify SHA-256").
			WithHint("use --checksum crc32c (sent as CRC-64), or none")
	}
	a, err := findAccount(&c)
	if err != nil {
		return nil, err
	}
	s := &az{config: c, account: a}
	if err := s.settle(); err != nil {
		return nil, err
	}
	s.http = store.NewClient(&c)
	options := &container.ClientOptions{}
	options.Transport = transporter{s.http.Transport}
	if s.container, s.note, err = a.newContainer(options, credentialsOptions(&c)); err != nil {
		return nil, err
	}
	s.slabs = store.NewSlabs(s.part)
	return s, nil
}

// settle takes sizes and numbers from the configuration and the settings.
func (s *az) settle() error {
	c := &s.config
	s.part, s.active = c.PartSize, c.ActiveParts
	if s.part <= 0 {
		n, _, err := c.Settings.Size("fs.azure.write.request.size")
		if err != nil {
			return store.Fail(store.Other, "%w", err)
		}
		if s.part = n; n <= 0 {
			s.part = defaultPart
		}
	}
	if s.part > largestPart {
		return store.Fail(store.TooLarge, "parts of %d bytes are too large for Azure", s.part).
			WithHint("use a part size of at most %d", int64(largestPart))
	}
	if s.active <= 0 {
		n, _, err := c.Settings.Int("fs.azure.write.max.concurrent.requests", "fs.azure.write.max.requests.to.queue")
		if err != nil {
			return store.Fail(store.Other, "%w", err)
		}
		if s.active = int(min(n, 1<<16)); n <= 0 {
			s.active = defaultActive
		}
	}
	return s.settleRetries()
}

func (s *az) settleRetries() error {
	c := &s.config
	retries := int64(c.Retries)
	if retries < 0 {
		n, ok, err := c.Settings.Int("fs.azure.io.retry.max.retries")
		if err != nil {
			return store.Fail(store.Other, "%w", err)
		}
		if retries = n; !ok || n < 0 {
			retries = defaultRetries
		}
	}
	s.retry.MaxRetries = int32(min(retries, 1<<20))
	for _, delay := range []struct {
		setting string
		to      *time.Duration
	}{
		{"fs.azure.io.retry.backoff.interval", &s.retry.RetryDelay},
		{"fs.azure.io.retry.max.backoff.interval", &s.retry.MaxRetryDelay},
	} {
		n, ok, err := c.Settings.Duration(time.Millisecond, delay.setting)
		if err != nil {
			return store.Fail(store.Other, "%w", err)
		}
		if ok && n > 0 {
			*delay.to = n
		}
	}
	return nil
}

// Describe tells what is in use.
func (s *az) Describe() store.Description {
	integrity := "CRC-64 of each part, verified by the server on upload; not verified on download"
	if s.config.Checksum == "none" {
		integrity = "none"
	}
	var more []string
	if s.unchecked.Load() {
		integrity = "none"
		more = []string{"The server does not support part checksums (x-ms-content-crc64), so parts were sent without. " +
			"Older versions of Azurite need --loose."}
	}
	return store.Description{
		Client:   "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob",
		Endpoint: s.account.service.String(), PartBytes: s.part, ActiveParts: s.active, Integrity: integrity,
		Notes: append([]string{
			s.note,
			fmt.Sprintf("A file larger than %d bytes is uploaded in blocks, up to %d at a time; a smaller file in a single "+
				"request.", s.part, s.active),
			"Renaming copies the blob within the account and deletes the original.",
			"If an upload over an existing blob fails, Azure keeps the uploaded blocks for a week or until the next write " +
				"to that name.",
			"If soft delete is enabled for the account, deleted files are kept, and billed, for the retention period.",
		}, more...),
	}
}

// Close ends the connections and gives the memory back.
func (s *az) Close() error {
	s.http.CloseIdleConnections()
	s.slabs.Close()
	return nil
}
