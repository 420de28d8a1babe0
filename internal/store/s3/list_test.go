package s3

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
)

// TestList lists more than one page, and nothing above or below the directory.
func TestList(t *testing.T) {
	isolate(t)
	b := open(t, conf(t, serve(t)))
	var want []string
	for n := range 1005 { // a page has 1000
		name := fmt.Sprintf("DELTA_%016d", n)
		want = append(want, name)
		if err := write(t.Context(), b, "/data/"+name, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for _, other := range []string{"/top", "/data/below/x", "/data2/x", "/data.txt"} {
		if err := write(t.Context(), b, other, []byte("other")); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/data", "/data/", "data"} {
		all, err := b.List(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range all {
			if e.Size != 1 || e.Version == "" {
				t.Errorf("%+v", e)
			}
			names = append(names, e.Name)
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	top, err := b.List(t.Context(), "/")
	if err != nil || len(top) != 2 {
		t.Errorf("%+v, %v", top, err)
	}
	before, _ := b.List(t.Context(), "/data")
	if err := write(t.Context(), b, "/data/"+want[0], []byte("y")); err != nil {
		t.Fatal(err)
	}
	after, _ := b.List(t.Context(), "/data")
	if before[0].Version == after[0].Version || before[1].Version != after[1].Version {
		t.Errorf("versions before %q, after %q", before[0].Version, after[0].Version)
	}
	if none, err := b.List(t.Context(), "/nothing"); err != nil || len(none) != 0 {
		t.Errorf("%+v, %v", none, err)
	}
}

// TestUploadsOfSeveralPages has all uploads listed once, those of one name included.
func TestUploadsOfSeveralPages(t *testing.T) {
	isolate(t)
	b := open(t, conf(t, serve(t)))
	c := b.current.Load()
	for i := range 1000 {
		for range 2 {
			key := fmt.Sprintf("dir/%04d", i)
			if _, err := c.CreateMultipartUpload(t.Context(),
				&s3.CreateMultipartUploadInput{Bucket: &b.settings.bucket, Key: &key}); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := b.Uploads(t.Context(), "/dir/")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, u := range all {
		ids[u.ID] = true
	}
	if len(all) != 2000 || len(ids) != 2000 || all[0].Path != "/dir/0000" || all[0].Begun.IsZero() {
		t.Errorf("%d uploads of %d names; the first is %+v", len(all), len(ids), all[0])
	}
	if err := b.GiveUp(t.Context(), all[0]); err != nil {
		t.Error(err)
	}
	if err := b.GiveUp(t.Context(), all[0]); err != nil {
		t.Errorf("of one that is not there: %v", err)
	}
}

// A list that is none, or leads back to where it was, is an error and not a list without entries.
func TestListRejectsInvalidPages(t *testing.T) {
	isolate(t)
	for says, want := range map[string]string{
		"ok":                 "is not a list",
		"<Something/>":       "is not a list",
		"<html>hello</html>": "is not a list",
		"<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>": "does not say where",
		"<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>" +
			"</ListBucketResult>": "does not say where",
		"<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>again</NextKeyMarker>" +
			"</ListMultipartUploadsResult>": "does not say where",
	} {
		c := conf(t, script(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(says)) }))
		b := open(t, c)
		if _, err := b.List(t.Context(), "/data"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the objects: %v", says, err)
		}
		if _, err := b.Uploads(t.Context(), "/data"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the uploads: %v", says, err)
		}
	}
}
