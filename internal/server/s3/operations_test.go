package s3

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
)

// codeOf is the code of an error of the AWS client.
func codeOf(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if got := codeOf(err); got != code {
		t.Helper()
		t.Errorf("the error is %q, want %q (%v)", got, code, err)
	}
}

// everywhere runs a test on each medium that keeps data.
func everywhere(t *testing.T, test func(t *testing.T, s *Server, c *awss3.Client)) {
	t.Helper()
	for name, change := range map[string]func(*testing.T) func(*Config){
		"memory": func(*testing.T) func(*Config) { return nil },
		"dir":    func(t *testing.T) func(*Config) { return func(c *Config) { c.Dir = t.TempDir() } },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, change(t))
			test(t, s, sdk(t, s))
		})
	}
}

func put(t *testing.T, c *awss3.Client, key string, data []byte) *awss3.PutObjectOutput {
	t.Helper()
	out, err := c.PutObject(t.Context(), &awss3.PutObjectInput{
		Bucket: aws.String(DefaultBucket), Key: &key, Body: bytes.NewReader(data),
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestBuckets(t *testing.T) {
	everywhere(t, func(t *testing.T, s *Server, c *awss3.Client) {
		ctx := t.Context()
		name := aws.String("another.bucket-1")
		_, err := c.HeadBucket(ctx, &awss3.HeadBucketInput{Bucket: name})
		wantCode(t, err, "NotFound")
		_, err = c.CreateBucket(ctx, &awss3.CreateBucketInput{Bucket: name})
		wantCode(t, err, "")
		_, err = c.CreateBucket(ctx, &awss3.CreateBucketInput{Bucket: name})
		wantCode(t, err, "BucketAlreadyOwnedByYou")
		_, err = c.CreateBucket(ctx, &awss3.CreateBucketInput{
			Bucket:                    aws.String("third-bucket"),
			CreateBucketConfiguration: &types.CreateBucketConfiguration{LocationConstraint: "eu-central-1"},
		})
		wantCode(t, err, "IllegalLocationConstraintException")
		_, err = c.CreateBucket(ctx, &awss3.CreateBucketInput{Bucket: aws.String("Not_A_Bucket")})
		wantCode(t, err, "InvalidBucketName")
		list, err := c.ListBuckets(ctx, &awss3.ListBucketsInput{})
		wantCode(t, err, "")
		var names []string
		for _, b := range list.Buckets {
			names = append(names, *b.Name)
		}
		if diff := cmp.Diff([]string{"another.bucket-1", "plimsoll"}, names); diff != "" {
			t.Error(diff)
		}
		where, err := c.GetBucketLocation(ctx, &awss3.GetBucketLocationInput{Bucket: name})
		if err != nil || where.LocationConstraint != "" {
			t.Errorf("%+v, %v", where, err)
		}
		listen := &listener{Client: httpClient(t)}
		versions, err := c.GetBucketVersioning(ctx, &awss3.GetBucketVersioningInput{Bucket: name},
			func(o *awss3.Options) { o.HTTPClient = listen })
		if err != nil || versions.Status != "" || versions.MFADelete != "" {
			t.Errorf("%+v, %v", versions, err)
		}
		// The SDK takes any name for the document.
		if !strings.HasSuffix(listen.said,
			`<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></VersioningConfiguration>`) {
			t.Error(listen.said)
		}
		_, err = c.GetBucketVersioning(ctx, &awss3.GetBucketVersioningInput{Bucket: aws.String("no-such-bucket")})
		wantCode(t, err, "NoSuchBucket")
		_, err = c.PutObject(ctx, &awss3.PutObjectInput{Bucket: name, Key: aws.String("k")})
		wantCode(t, err, "")
		_, err = c.DeleteBucket(ctx, &awss3.DeleteBucketInput{Bucket: name})
		wantCode(t, err, "BucketNotEmpty")
		_, err = c.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: name, Key: aws.String("k")})
		wantCode(t, err, "")
		_, err = c.DeleteBucket(ctx, &awss3.DeleteBucketInput{Bucket: name})
		wantCode(t, err, "")
		_, err = c.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: name})
		wantCode(t, err, "NoSuchBucket")
		settle(s)
		if used := s.data.Used(); used != 0 {
			t.Errorf("%d bytes of data are left", used)
		}
	})
}

// listener keeps the body of the last answer.
type listener struct {
	*http.Client
	said string
}

func (l *listener) Do(r *http.Request) (*http.Response, error) {
	resp, err := l.Client.Do(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // it was read to its end, or failed
	l.said, resp.Body = string(text), io.NopCloser(strings.NewReader(string(text)))
	return resp, err
}

func TestConditions(t *testing.T) {
	s := serve(t, nil)
	c := sdk(t, s)
	ctx := t.Context()
	bucket, key := aws.String(DefaultBucket), aws.String("k")
	etag := put(t, c, "k", []byte("one")).ETag
	other, hour := aws.String(`"other"`), time.Hour
	ago, ahead := aws.Time(time.Now().Add(-hour)), aws.Time(time.Now().Add(hour))
	for name, test := range map[string]struct {
		in   awss3.GetObjectInput
		want string
	}{
		"match":                    {awss3.GetObjectInput{IfMatch: etag}, ""},
		"match any":                {awss3.GetObjectInput{IfMatch: aws.String("*")}, ""},
		"match other":              {awss3.GetObjectInput{IfMatch: other}, "PreconditionFailed"},
		"none match":               {awss3.GetObjectInput{IfNoneMatch: etag}, "NotModified"},
		"none match other":         {awss3.GetObjectInput{IfNoneMatch: other}, ""},
		"modified":                 {awss3.GetObjectInput{IfModifiedSince: ago}, ""},
		"not modified":             {awss3.GetObjectInput{IfModifiedSince: ahead}, "NotModified"},
		"unmodified":               {awss3.GetObjectInput{IfUnmodifiedSince: ahead}, ""},
		"not unmodified":           {awss3.GetObjectInput{IfUnmodifiedSince: ago}, "PreconditionFailed"},
		"match wins":               {awss3.GetObjectInput{IfMatch: etag, IfUnmodifiedSince: ago}, ""},
		"none match wins":          {awss3.GetObjectInput{IfNoneMatch: other, IfModifiedSince: ahead}, ""},
		"both fail: 412 comes 1st": {awss3.GetObjectInput{IfMatch: other, IfNoneMatch: etag}, "PreconditionFailed"},
	} {
		test.in.Bucket, test.in.Key = bucket, key
		out, err := c.GetObject(ctx, &test.in)
		if got := codeOf(err); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		if err == nil {
			_ = out.Body.Close()
		}
	}
	putIf := func(key string, match, noneMatch *string) string {
		_, err := c.PutObject(ctx, &awss3.PutObjectInput{Bucket: bucket, Key: &key, IfMatch: match,
			IfNoneMatch: noneMatch, Body: strings.NewReader("x")})
		return codeOf(err)
	}
	got := []string{
		putIf("k", nil, aws.String("*")), putIf("new", nil, aws.String("*")), putIf("k", other, nil),
		putIf("absent", etag, nil), putIf("k", etag, nil), putIf("k", etag, nil),
	}
	if diff := cmp.Diff([]string{"PreconditionFailed", "", "PreconditionFailed", "NoSuchKey", "", "PreconditionFailed"},
		got); diff != "" {
		t.Error(diff)
	}
	_, err := c.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: bucket, Key: key, IfMatch: etag})
	wantCode(t, err, "PreconditionFailed")
}

func TestLists(t *testing.T) {
	everywhere(t, func(t *testing.T, _ *Server, c *awss3.Client) {
		ctx, bucket := t.Context(), aws.String(DefaultBucket)
		var all []string
		for i := range 25 {
			all = append(all, fmt.Sprintf("a/%02d", i), fmt.Sprintf("b%d/x/%d", i%3, i))
		}
		all = append(all, "c", "ü ?&+\x01", "zz")
		for _, key := range all {
			put(t, c, key, []byte(key))
		}
		slices.Sort(all)
		for _, page := range []int32{1, 7, 1000} {
			var got []string
			pages := awss3.NewListObjectsV2Paginator(c,
				&awss3.ListObjectsV2Input{Bucket: bucket, MaxKeys: &page, EncodingType: types.EncodingTypeUrl})
			for pages.HasMorePages() {
				out, err := pages.NextPage(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if int(*out.KeyCount) != len(out.Contents) || len(out.Contents) > int(page) {
					t.Errorf("%d of %d keys", *out.KeyCount, len(out.Contents))
				}
				for _, o := range out.Contents {
					got = append(got, unescape(t, *o.Key))
				}
			}
			if diff := cmp.Diff(all, got); diff != "" {
				t.Errorf("pages of %d: %s", page, diff)
			}
			got = nil
			var marker *string
			for { // version 1, with groups
				out, err := c.ListObjects(ctx, &awss3.ListObjectsInput{Bucket: bucket, MaxKeys: &page, Marker: marker,
					Delimiter: aws.String("/"), EncodingType: types.EncodingTypeUrl})
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range out.CommonPrefixes {
					got = append(got, unescape(t, *p.Prefix))
				}
				for _, o := range out.Contents {
					got = append(got, unescape(t, *o.Key))
				}
				if !*out.IsTruncated {
					break
				}
				marker = aws.String(unescape(t, *out.NextMarker))
			}
			slices.Sort(got)
			if diff := cmp.Diff([]string{"a/", "b0/", "b1/", "b2/", "c", "zz", "ü ?&+\x01"}, got); diff != "" {
				t.Errorf("groups in pages of %d: %s", page, diff)
			}
		}
		out, err := c.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: bucket, Prefix: aws.String("b1/"),
			Delimiter: aws.String("/"), StartAfter: aws.String("b1/")})
		if err != nil || len(out.CommonPrefixes) != 1 || *out.CommonPrefixes[0].Prefix != "b1/x/" ||
			len(out.Contents) != 0 {
			t.Errorf("%+v, %v", out, err)
		}
		out, err = c.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: bucket, StartAfter: aws.String("b2/x/8"),
			MaxKeys: aws.Int32(2)})
		if err != nil || len(out.Contents) != 2 || *out.Contents[0].Key != "c" || *out.Contents[1].Key != "zz" {
			t.Errorf("%+v, %v", out, err)
		}
		out, err = c.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: bucket, MaxKeys: aws.Int32(0)})
		if err != nil || len(out.Contents) != 0 || *out.IsTruncated {
			t.Errorf("%+v, %v", out, err)
		}
		out, err = c.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: bucket, StartAfter: aws.String("a/03"),
			Delimiter: aws.String("/"), MaxKeys: aws.Int32(1)})
		if err != nil || len(out.CommonPrefixes) != 1 || *out.CommonPrefixes[0].Prefix != "a/" {
			t.Errorf("%+v, %v", out, err)
		}
		_, err = c.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: bucket, ContinuationToken: aws.String("%%%")})
		wantCode(t, err, "InvalidArgument")
	})
}

func TestCopyAndDelete(t *testing.T) {
	everywhere(t, func(t *testing.T, s *Server, c *awss3.Client) {
		ctx, bucket := t.Context(), aws.String(DefaultBucket)
		data := noise(70_000)
		etag := put(t, c, "a b/ü", data).ETag
		source := aws.String(DefaultBucket + "/a%20b/%C3%BC")
		out, err := c.CopyObject(ctx, &awss3.CopyObjectInput{Bucket: bucket, Key: aws.String("copy"),
			CopySource: source})
		if err != nil || *out.CopyObjectResult.ETag != *etag {
			t.Fatalf("%+v, %v", out, err)
		}
		_, err = c.CopyObject(ctx, &awss3.CopyObjectInput{Bucket: bucket, Key: aws.String("a b/ü"), CopySource: source})
		wantCode(t, err, "InvalidRequest")
		_, err = c.CopyObject(ctx, &awss3.CopyObjectInput{
			Bucket: bucket, Key: aws.String("a b/ü"), CopySource: source,
			MetadataDirective: types.MetadataDirectiveReplace, Metadata: map[string]string{"new": "1"},
		})
		wantCode(t, err, "")
		_, err = c.CopyObject(ctx, &awss3.CopyObjectInput{Bucket: bucket, Key: aws.String("no"), CopySource: source,
			CopySourceIfMatch: aws.String("x")})
		wantCode(t, err, "PreconditionFailed")
		_, err = c.CopyObject(ctx, &awss3.CopyObjectInput{Bucket: bucket, Key: aws.String("no"),
			CopySource: aws.String("plimsoll/absent")})
		wantCode(t, err, "NoSuchKey")
		_, err = c.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: bucket, Key: aws.String("a b/ü")})
		wantCode(t, err, "")
		if got := fetch(t, c, "copy"); !bytes.Equal(got, data) {
			t.Error("the copy went with the original")
		}
		if used := s.data.Used(); used != int64(len(data)) {
			t.Errorf("the copy takes %d bytes", used)
		}
		deleted, err := c.DeleteObjects(ctx, &awss3.DeleteObjectsInput{Bucket: bucket, Delete: &types.Delete{
			Objects: []types.ObjectIdentifier{{Key: aws.String("copy")}, {Key: aws.String("absent")}},
		}})
		if err != nil || len(deleted.Deleted) != 2 || len(deleted.Errors) != 0 {
			t.Errorf("%+v, %v", deleted, err)
		}
		_, err = c.GetObject(ctx, &awss3.GetObjectInput{Bucket: bucket, Key: aws.String("copy")})
		wantCode(t, err, "NoSuchKey")
		settle(s)
		if used := s.data.Used(); used != 0 {
			t.Errorf("%d bytes are left", used)
		}
	})
}
