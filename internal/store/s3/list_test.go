package s3

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/store"
)

// List returns all pages of a directory, and nothing above or below it.
func TestList(t *testing.T) {
	isolate(t)
	b := open(t, conf(t, serve(t)))
	var want []string
	for n := range 1001 { // a page has 1000
		want = append(want, fmt.Sprintf("DELTA_%016d", n))
		if err := write(t.Context(), b, "/data/"+want[n], []byte("x")); err != nil {
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
				t.Errorf("the entry %+v does not have the size 1 and a version", e)
			}
			names = append(names, e.Name)
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	top, err := b.List(t.Context(), "/")
	if err != nil || len(top) != 2 {
		t.Errorf("the root lists %+v, error %v; want two entries", top, err)
	}
	before, _ := b.List(t.Context(), "/data")
	if err := write(t.Context(), b, "/data/"+want[0], []byte("y")); err != nil {
		t.Fatal(err)
	}
	after, _ := b.List(t.Context(), "/data")
	if before[0].Version == after[0].Version || before[1].Version != after[1].Version {
		t.Errorf("after one of two objects was replaced, the versions changed from %q and %q to %q and %q",
			before[0].Version, before[1].Version, after[0].Version, after[1].Version)
	}
	if none, err := b.List(t.Context(), "/nothing"); err != nil || len(none) != 0 {
		t.Errorf("a missing directory lists %+v, error %v; want nothing", none, err)
	}
}

// Uploads lists the uploads of all pages, including several of one name.
func TestUploadsListsSeveralPages(t *testing.T) {
	isolate(t)
	const page = `<ListMultipartUploadsResult><Bucket>bucket</Bucket><IsTruncated>%t</IsTruncated>%s` +
		`<Upload><Key>dir/%s</Key><UploadId>%s</UploadId><Initiated>2020-01-02T03:04:05Z</Initiated></Upload></ListMultipartUploadsResult>`
	next := func(key, id string) string {
		return "<NextKeyMarker>dir/" + key + "</NextKeyMarker><NextUploadIdMarker>" + id + "</NextUploadIdMarker>"
	}
	b := open(t, conf(t, script(t, func(w http.ResponseWriter, r *http.Request) {
		switch q := r.URL.Query(); q.Get("key-marker") + " " + q.Get("upload-id-marker") {
		case " ":
			_, _ = fmt.Fprintf(w, page, true, next("a", "1"), "a", "1")
		case "dir/a 1":
			_, _ = fmt.Fprintf(w, page, true, next("a", "2"), "a", "2")
		case "dir/a 2":
			_, _ = fmt.Fprintf(w, page, false, "", "b", "3")
		default:
			t.Errorf("unexpected request: %s", r.URL)
		}
	})))
	got, err := b.Uploads(t.Context(), "/dir/")
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	want := []store.Upload{{Path: "/dir/a", ID: "1", Begun: begun}, {Path: "/dir/a", ID: "2", Begun: begun},
		{Path: "/dir/b", ID: "3", Begun: begun}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("uploads (-want +got):\n%s", diff)
	}
}

// GiveUp discards an upload, and succeeds if it no longer exists.
func TestGiveUpDiscardsUpload(t *testing.T) {
	isolate(t)
	b := open(t, conf(t, serve(t)))
	key := "dir/x"
	if _, err := b.current.Load().CreateMultipartUpload(t.Context(),
		&s3.CreateMultipartUploadInput{Bucket: &b.settings.bucket, Key: &key}); err != nil {
		t.Fatal(err)
	}
	all, err := b.Uploads(t.Context(), "/dir/")
	if err != nil || len(all) != 1 || all[0].Path != "/dir/x" || all[0].Begun.IsZero() {
		t.Fatalf("the uploads are %+v, error %v; want one of /dir/x", all, err)
	}
	for range 2 {
		if err := b.GiveUp(t.Context(), all[0]); err != nil {
			t.Error(err)
		}
	}
	if n := uploads(t, b); n != 0 {
		t.Errorf("%d uploads are left, want none", n)
	}
}

// A response that is no list, or a page without a new continuation, is an error and not an empty list.
func TestListRejectsInvalidPages(t *testing.T) {
	isolate(t)
	for says, want := range map[string]string{
		"ok":                 "is not a list",
		"<Something/>":       "is not a list",
		"<html>hello</html>": "is not a list",
		"<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>": "no continuation marker",
		"<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>" +
			"</ListBucketResult>": "no continuation marker",
		"<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>again</NextKeyMarker>" +
			"</ListMultipartUploadsResult>": "no continuation marker",
	} {
		c := conf(t, script(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(says)) }))
		b := open(t, c)
		if _, err := b.List(t.Context(), "/data"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("listing objects from %s: %v, want %q in the error", says, err, want)
		}
		if _, err := b.Uploads(t.Context(), "/data"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("listing uploads from %s: %v, want %q in the error", says, err, want)
		}
	}
}
