package s3

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/plimsoll/plimsoll/internal/store"
)

// bucket is a bucket as a store.
type bucket struct {
	settings *settings
	identity *identity
	requests *store.Requests
	loaded   aws.Config // of the environment and the shared files
	http     *http.Client
	retryer  countingRetryer
	slabs    *store.Slabs
	turns    turns
	signer   *v4.Signer
	own      bool // the endpoint is one of AWS

	current atomic.Pointer[client]
	moving  sync.Mutex
	moved   string // the note of a change of regions
}

// Open opens the bucket of an s3 or s3a URL. It asks for credentials, and sends nothing to
// the bucket.
func Open(ctx context.Context, c store.Config) (store.Store, error) {
	s, err := settle(&c)
	if err != nil {
		return nil, err
	}
	b, err := openWith(ctx, c, s)
	if err != nil {
		return nil, err // and not a bucket that is nil in an interface that is not
	}
	return b, nil
}

// openWith opens a bucket with settings that are settled.
func openWith(ctx context.Context, c store.Config, s *settings) (*bucket, error) {
	loaded, err := loadConfig(ctx, &c, s)
	if err != nil {
		return nil, err
	}
	id, err := identify(ctx, &c, s, loaded.Credentials)
	if err != nil {
		return nil, err
	}
	b := &bucket{
		settings: s, identity: id, requests: c.Requests, loaded: loaded,
		http: newHTTP(&c, s, &loaded), retryer: newRetryer(s, c.Requests), slabs: store.NewSlabs(max(s.partSize, s.whole)),
		turns: newTurns(s.threads), signer: v4.NewSigner(),
	}
	region := b.region()
	first := b.newClient(region)
	options := first.Options()
	if given := options.BaseEndpoint; given != nil && s.endpoint == nil {
		if u, err := url.Parse(*given); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			// What cannot be read may hold a password.
			return nil, store.Fail(store.Other, "AWS_ENDPOINT_URL, or endpoint_url of the profile, is not an http or https URL").
				WithHint("use a URL such as http://127.0.0.1:9000")
		}
	}
	b.own = amazon(endpointOf(&options))
	b.current.Store(first)
	return b, nil
}

// region is where to look for the bucket first.
func (b *bucket) region() string {
	if b.settings.region != "" {
		return b.settings.region
	}
	if b.loaded.Region != "" {
		return b.loaded.Region
	}
	if b.settings.endpoint != nil {
		if r := regionOf(b.settings.endpoint.Hostname()); r != "" {
			return r
		}
	}
	// AWS's answer from there names the right one; other servers have but one, whose name
	// is mostly this.
	return "us-east-1"
}

// do calls an operation, follows the bucket to its region once, and explains an error.
func (b *bucket) do(ctx context.Context, operation, key string, call func(context.Context, *client) error) error {
	ctx = b.requests.Named(ctx, operation)
	c := b.current.Load()
	err := call(ctx, c)
	if err == nil {
		return nil
	}
	if to := elsewhere(err); to != "" && to != c.region {
		if next := b.follow(c, to); next != nil {
			b.requests.Retry(operation, store.WrongRegion)
			err = call(ctx, next)
		}
	}
	return b.explain(ctx, operation, key, err)
}

// follow gives the client for the region that the bucket is in; nil when it was followed
// already and is said to be elsewhere again.
func (b *bucket) follow(from *client, region string) *client {
	b.moving.Lock()
	defer b.moving.Unlock()
	if now := b.current.Load(); now != from {
		return now // another request was faster
	}
	if b.moved != "" {
		return nil
	}
	b.moved = fmt.Sprintf("The bucket is in region %s, not %s.", region, from.region)
	next := b.newClient(region)
	b.current.Store(next)
	return next
}

// Describe tells what is in use.
func (b *bucket) Describe() store.Description {
	c := b.current.Load()
	o := c.Options()
	d := store.Description{
		Client:      "github.com/aws/aws-sdk-go-v2/service/s3",
		PartBytes:   b.settings.partSize,
		ActiveParts: b.settings.active,
		AtOnce:      b.settings.threads,
		Integrity:   b.settings.integrity(),
		Notes: []string{
			"Renaming copies the object and deletes the original.",
			"Requests are signed for " + c.region + " with credentials from " + b.identity.from + ".",
		},
	}
	if b.identity.anonymous() {
		d.Notes[1] = "Requests are not signed (anonymous access)."
	}
	if o.BaseEndpoint != nil {
		d.Endpoint = *o.BaseEndpoint
	}
	b.moving.Lock()
	defer b.moving.Unlock()
	if b.moved != "" {
		d.Notes = append(d.Notes, b.moved)
	}
	d.Notes = append(d.Notes, b.identity.notes...)
	return d
}

// Close ends the connections and gives the memory back.
func (b *bucket) Close() error {
	b.http.CloseIdleConnections()
	b.slabs.Close()
	return nil
}

// keyOf is the key of a path.
func keyOf(path string) string { return strings.TrimPrefix(path, "/") }
