package s3

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/storetest"
)

func TestMoto(t *testing.T) {
	isolate(t)
	url := moto(t)
	for name, change := range map[string]func(*store.Config){
		"crc32c": func(c *store.Config) {},
		"sha256": func(c *store.Config) { c.Checksum = checksumSHA256 },
		"none":   func(c *store.Config) { c.Checksum = checksumNone },
		"signed": func(c *store.Config) { c.PayloadSigning = true },
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, conf(t, url, change, func(c *store.Config) {
				c.URL.Host, c.PartSize = "bucket-"+name, 100_000
			}))
			makeBucket(t, b)
			storetest.Run(t, b, "/some/dir", b.settings.block)
			if n := uploads(t, b); n != 0 {
				t.Errorf("%d uploads were left behind", n)
			}
		})
	}
}
