package s3

import (
	"fmt"
	"testing"
)

// What is as large as may be is taken, and a byte more is not. The objects here are told to be so large.
func TestCopyAndUploadSizeLimits(t *testing.T) {
	s := serve(t, open)
	for key, size := range map[string]int64{"most": maxPut, "more": maxPut + 1} {
		if err := s.catalog.put(DefaultBucket, &object{key: key, size: size, modified: s.now()}, nil); err != nil {
			t.Fatal(err)
		}
	}
	begin := func(key string) string {
		t.Helper()
		u := &upload{id: newID(), bucket: DefaultBucket, key: key, parts: map[int]*part{}}
		if err := s.catalog.addUpload(u); err != nil {
			t.Fatal(err)
		}
		return u.id
	}
	id := begin("parts")
	for _, tt := range []struct{ target, source, span, want string }{
		{"copy", "most", "", ""}, {"copy", "more", "", "InvalidRequest"},
		{"parts?uploadId=" + id + "&partNumber=1", "most", "", ""},
		{"parts?uploadId=" + id + "&partNumber=2", "more", "", "EntityTooLarge"},
		{"parts?uploadId=" + id + "&partNumber=2", "more", "bytes=1-", ""},
	} {
		got := raw(t, s, "PUT", "/plimsoll/"+tt.target, "", "X-Amz-Copy-Source", "plimsoll/"+tt.source, "X-Amz-Copy-Source-Range", tt.span)
		if got.code() != tt.want {
			t.Errorf("%+v: %s", tt, got.body)
		}
	}
	for more, want := range map[int64]string{0: "", 1: "EntityTooLarge"} {
		key := fmt.Sprint("whole", more)
		id := begin(key)
		for n, size := range map[int]int64{1: maxObject - 7, 2: 7 + more} {
			if err := s.catalog.addPart(DefaultBucket, key, id, &part{number: n, size: size, etag: `"e"`}); err != nil {
				t.Fatal(err)
			}
		}
		got := raw(t, s, "POST", "/plimsoll/"+key+"?uploadId="+id, "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>e</ETag></Part>"+
			"<Part><PartNumber>2</PartNumber><ETag>e</ETag></Part></CompleteMultipartUpload>")
		if got.code() != want {
			t.Errorf("%d more than the largest object: %s", more, got.body)
		}
	}
}

// Where there is no room for metadata, every request that would bring some is told so, and leaves nothing behind.
func TestNoRoomForMetadata(t *testing.T) {
	s := serve(t, open)
	raw(t, s, "PUT", "/plimsoll/k", "text")
	id := "u"
	if err := s.catalog.addUpload(&upload{id: id, bucket: DefaultBucket, key: "u", parts: map[int]*part{}}); err != nil {
		t.Fatal(err)
	}
	settle(s)
	used, data := s.memory.Used(), s.data.Used()
	s.memory.Limit = used + 100
	for _, tt := range []struct{ method, target, body, source string }{
		{"PUT", "/other", "", ""}, {"PUT", "/plimsoll/l", "x", ""}, {"PUT", "/plimsoll/l", "", "plimsoll/k"}, {"POST", "/plimsoll/l?uploads", "", ""},
		{"PUT", "/plimsoll/u?uploadId=u&partNumber=1", "x", ""}, {"PUT", "/plimsoll/u?uploadId=u&partNumber=1", "", "plimsoll/k"},
	} {
		if got := raw(t, s, tt.method, tt.target, tt.body, "X-Amz-Copy-Source", tt.source); got.code() != "InsufficientStorage" || got.status != 507 {
			t.Errorf("%+v: %+v", tt, got)
		}
		settle(s)
		if s.memory.Used() != used || s.data.Used() != data {
			t.Errorf("%+v: %d and %d bytes are left", tt, s.memory.Used()-used, s.data.Used()-data)
		}
	}
	s.memory.Limit = 0
	if got := metric(t, s, `plimsoll_s3_faults_injected_total{kind="full"}`); got != "0" {
		t.Errorf("it counts as a full disk that was asked for: %s times", got)
	}
}
