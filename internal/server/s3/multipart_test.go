package s3

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func unescape(t *testing.T, s string) string {
	t.Helper()
	out, err := url.PathUnescape(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// begin starts an upload and gives its id.
func begin(t *testing.T, c *awss3.Client, key string, in awss3.CreateMultipartUploadInput) *string {
	t.Helper()
	in.Bucket, in.Key = aws.String(DefaultBucket), &key
	out, err := c.CreateMultipartUpload(t.Context(), &in)
	if err != nil {
		t.Fatal(err)
	}
	return out.UploadId
}

// sendPart uploads a part and gives what completes it.
func sendPart(t *testing.T, c *awss3.Client, key string, id *string, n int32, data []byte,
	alg types.ChecksumAlgorithm) types.CompletedPart {
	t.Helper()
	out, err := c.UploadPart(t.Context(), &awss3.UploadPartInput{
		Bucket: aws.String(DefaultBucket), Key: &key, UploadId: id, PartNumber: &n, Body: bytes.NewReader(data),
		ChecksumAlgorithm: alg,
	})
	if err != nil {
		t.Fatal(err)
	}
	return types.CompletedPart{
		ETag: out.ETag, PartNumber: &n, ChecksumCRC32: out.ChecksumCRC32, ChecksumCRC32C: out.ChecksumCRC32C,
		ChecksumCRC64NVME: out.ChecksumCRC64NVME, ChecksumSHA1: out.ChecksumSHA1, ChecksumSHA256: out.ChecksumSHA256,
	}
}

func complete(t *testing.T, c *awss3.Client, key string, id *string,
	parts ...types.CompletedPart) (*awss3.CompleteMultipartUploadOutput, error) {
	t.Helper()
	return c.CompleteMultipartUpload(t.Context(), &awss3.CompleteMultipartUploadInput{
		Bucket: aws.String(DefaultBucket), Key: &key, UploadId: id,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	})
}

func TestMultipart(t *testing.T) {
	everywhere(t, func(t *testing.T, s *Server, c *awss3.Client) {
		ctx, bucket := t.Context(), aws.String(DefaultBucket)
		for _, alg := range []types.ChecksumAlgorithm{"", "CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"} {
			kinds := []types.ChecksumType{"", "COMPOSITE"}
			switch {
			case alg == "":
				kinds = kinds[:1]
			case alg == "CRC64NVME":
				kinds = []types.ChecksumType{"", "FULL_OBJECT"}
			case strings.HasPrefix(string(alg), "CRC"):
				kinds = append(kinds, "FULL_OBJECT")
			}
			for _, kind := range kinds {
				key := "m" + string(alg) + string(kind)
				id := begin(t, c, key, awss3.CreateMultipartUploadInput{ChecksumAlgorithm: alg, ChecksumType: kind,
					Metadata: map[string]string{"a": "b"}})
				var whole []byte
				var parts []types.CompletedPart
				for i, n := range []int32{1, 2, 5, 10000} { // with gaps
					data := noise(40_000 + 3001*i)
					whole = append(whole, data...)
					if n == 5 {
						sendPart(t, c, key, id, n, data[:7], alg) // is replaced
					}
					parts = append(parts, sendPart(t, c, key, id, n, data, alg))
				}
				sendPart(t, c, key, id, 77, noise(9), alg) // is not used
				out, err := complete(t, c, key, id, parts...)
				if err != nil {
					t.Fatalf("%s %s: %v", alg, kind, err)
				}
				if !strings.HasSuffix(*out.ETag, `-4"`) {
					t.Errorf("the ETag is %s", *out.ETag)
				}
				again, err := complete(t, c, key, id, parts...)
				if err != nil || *again.ETag != *out.ETag {
					t.Errorf("completed again: %+v, %v", again, err)
				}
				// The client checks the checksums that are of the whole.
				got, err := c.GetObject(ctx, &awss3.GetObjectInput{Bucket: bucket, Key: &key,
					ChecksumMode: types.ChecksumModeEnabled})
				if err != nil {
					t.Fatal(err)
				}
				data, err := io.ReadAll(got.Body)
				if err != nil || !bytes.Equal(data, whole) || *got.ETag != *out.ETag || got.Metadata["a"] != "b" {
					t.Errorf("%s: %d bytes of %d, %v", key, len(data), len(whole), err)
				}
				if kind == "FULL_OBJECT" && got.ChecksumType != "FULL_OBJECT" || kind == "COMPOSITE" &&
					got.ChecksumType != "COMPOSITE" {
					t.Errorf("%s: the checksum's type is %q", key, got.ChecksumType)
				}
				// Ranges go across parts.
				for _, r := range [][2]int{{39_000, 50_000}, {39_999, 40_000}, {10, 140_000}, {83_001, 83_001}} {
					got, err := c.GetObject(ctx, &awss3.GetObjectInput{Bucket: bucket, Key: &key,
						Range: aws.String(fmt.Sprintf("bytes=%d-%d", r[0], r[1]))})
					if err != nil {
						t.Fatal(err)
					}
					if data, err := io.ReadAll(got.Body); err != nil || !bytes.Equal(data, whole[r[0]:r[1]+1]) {
						t.Errorf("%s: %d bytes of range %v, %v", key, len(data), r, err)
					}
				}
				// Parts of an object can be had by their numbers.
				third, err := c.GetObject(ctx, &awss3.GetObjectInput{Bucket: bucket, Key: &key,
					PartNumber: aws.Int32(5)})
				if err != nil || *third.PartsCount != 4 || *third.ContentLength != 46_002 {
					t.Fatalf("%+v, %v", third, err)
				}
				_ = third.Body.Close()
				_, err = c.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: bucket, Key: &key})
				wantCode(t, err, "")
			}
		}
		settle(s)
		if used := s.data.Used(); used != 0 {
			t.Errorf("%d bytes are left", used)
		}
	})
}

func TestStrictPartSize(t *testing.T) {
	c := sdk(t, serve(t, func(cfg *Config) { cfg.StrictPartSize = true }))
	id := begin(t, c, "k", awss3.CreateMultipartUploadInput{})
	small, last := sendPart(t, c, "k", id, 1, noise(minPartSize-1), ""), sendPart(t, c, "k", id, 2, noise(1), "")
	_, err := complete(t, c, "k", id, small, last)
	wantCode(t, err, "EntityTooSmall")
	_, err = complete(t, c, "k", id, sendPart(t, c, "k", id, 1, noise(minPartSize), ""), last)
	wantCode(t, err, "")
}

func TestUploadPartCopy(t *testing.T) {
	everywhere(t, func(t *testing.T, s *Server, c *awss3.Client) {
		ctx, bucket := t.Context(), aws.String(DefaultBucket)
		data := noise(90_000)
		put(t, c, "from", data)
		id := begin(t, c, "to", awss3.CreateMultipartUploadInput{})
		var parts []types.CompletedPart
		for i, r := range []string{"bytes=50000-89999", "bytes=0-49999", ""} {
			in := &awss3.UploadPartCopyInput{
				Bucket: bucket, Key: aws.String("to"), UploadId: id, PartNumber: aws.Int32(int32(i + 1)),
				CopySource: aws.String("plimsoll/from"),
			}
			if r != "" {
				in.CopySourceRange = &r
			}
			out, err := c.UploadPartCopy(ctx, in)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, types.CompletedPart{PartNumber: in.PartNumber, ETag: out.CopyPartResult.ETag})
		}
		if _, err := complete(t, c, "to", id, parts...); err != nil {
			t.Fatal(err)
		}
		if _, err := c.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: bucket,
			Key: aws.String("from")}); err != nil {
			t.Fatal(err)
		}
		if got := fetch(t, c, "to"); !bytes.Equal(got, slices.Concat(data[50000:], data[:50000], data)) {
			t.Error("the object is not made of the ranges")
		}
		if used := s.data.Used(); used != int64(len(data)) {
			t.Errorf("%d bytes are used", used)
		}
	})
}
