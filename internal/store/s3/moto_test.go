package s3

import (
	"bytes"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/storetest"
)

func TestMoto(t *testing.T) {
	isolate(t)
	url := peertest.Moto(t, "S3_UPLOAD_PART_MIN_SIZE=1")
	t.Run("conformance", func(t *testing.T) {
		b := open(t, conf(t, url, func(c *store.Config) { c.URL.Host, c.PartSize = "conformance", 100_000 }))
		makeBucket(t, b)
		storetest.Run(t, b, "/some/dir", b.settings.block)
		testCopyParts(t, b)
		if n := uploads(t, b); n != 0 {
			t.Errorf("%d uploads were left behind", n)
		}
	})
	t.Run("resumed", func(t *testing.T) { testResumed(t, url, "resumed") })
	t.Run("no bucket", func(t *testing.T) {
		b := open(t, conf(t, url))
		mustFail(t, b.Check(t.Context(), "/x", 1), store.NoBucket, "404")
		mustFail(t, write(t.Context(), b, "/x", random(10)), store.NoBucket, "NoSuchBucket")
	})
}

// testCopyParts copies an object in parts, as if it were too large for one request.
func testCopyParts(t *testing.T, b *bucket) {
	t.Helper()
	content := random(350_001)
	if err := write(t.Context(), b, "/from here+there", content); err != nil {
		t.Fatal(err)
	}
	head, err := b.head(t.Context(), "from here+there")
	if err != nil {
		t.Fatal(err)
	}
	source := b.settings.bucket + "/" + escape("from here+there")
	u := &upload{bucket: b, key: "to", size: int64(len(content))}
	if err := u.copyParts(t.Context(), source, head.ETag, 100_000); err != nil {
		t.Fatal(err)
	}
	got, err := read(t.Context(), b, "/to")
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("read %d bytes of %d, or other bytes; error %v", len(got), len(content), err)
	}
	u = &upload{bucket: b, key: "to", size: int64(len(content))}
	mustFail(t, u.copyParts(t.Context(), b.settings.bucket+"/missing", nil, 100_000), store.NoFile, "UploadPartCopy")
}
