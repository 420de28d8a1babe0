package services

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/tracing"
)

// The object that is written and read: a body of 16 bytes.
const (
	objectKey  = "object"
	objectBody = "sixteen bytes, ."
)

func newS3(cfg aws.Config, t tracing.TracerProvider, s *Stand) *s3.Client {
	return s3.NewFromConfig(cfg, func(o *s3.Options) {
		// Servers that are not AWS's seldom have names for their buckets.
		o.UsePathStyle = !s.remote.Real
		o.TracerProvider = t
		o.DisableLogOutputChecksumValidationSkipped = true
	})
}

func setUpS3(ctx context.Context, s *Stand) error {
	s.bucket = s.name()
	in := &s3.CreateBucketInput{Bucket: aws.String(s.bucket)}
	if region := s.cfg.Region; region != "us-east-1" {
		in.CreateBucketConfiguration = &types.CreateBucketConfiguration{
			LocationConstraint: types.BucketLocationConstraint(region),
		}
	}
	return createBucket(ctx, s, in)
}

// zone is an availability zone that has directory buckets, by region: the first that AWS lists; ""
// for a region that is not known to have any.
func zone(region string) string {
	switch region {
	case "us-east-1":
		return "use1-az4"
	case "us-east-2":
		return "use2-az1"
	case "ap-south-1":
		return "aps1-az1"
	case "ap-northeast-1":
		return "apne1-az1"
	case "eu-north-1":
		return "eun1-az1"
	case "eu-west-1":
		return "euw1-az1"
	case "us-west-2":
		return anyZone
	}
	return ""
}

// anyZone is where directory buckets are made elsewhere than at AWS, whatever the region.
const anyZone = "usw2-az1"

func setUpExpress(ctx context.Context, s *Stand) error {
	where := zone(s.cfg.Region)
	if where == "" {
		if s.remote.Real {
			return &Failure{Operation: "CreateBucket", Cause: causeNoZone,
				Err: errors.New("no zone of " + s.cfg.Region + " supports directory buckets")}
		}
		where = anyZone
	}
	s.express = s.name() + "--" + where + "--x-s3"
	return createBucket(ctx, s, &s3.CreateBucketInput{
		Bucket: aws.String(s.express),
		CreateBucketConfiguration: &types.CreateBucketConfiguration{
			Bucket: &types.BucketInfo{DataRedundancy: types.DataRedundancySingleAvailabilityZone,
				Type: types.BucketTypeDirectory},
			Location: &types.LocationInfo{Name: &where, Type: types.LocationTypeAvailabilityZone},
		},
	})
}

// createBucket makes a bucket and the object in it.
func createBucket(ctx context.Context, s *Stand, in *s3.CreateBucketInput) error {
	c := newS3(s.cfg, tracing.NopTracerProvider{}, s)
	err := s.create(ctx, "CreateBucket", "bucket "+*in.Bucket, func(ctx context.Context) error {
		_, err := c.CreateBucket(ctx, in)
		return err
	}, func(ctx context.Context) error {
		return deleteBucket(ctx, s, c, in.Bucket)
	})
	if err != nil {
		return err
	}
	return s.create(ctx, "PutObject", "object in "+*in.Bucket, func(ctx context.Context) error {
		return putObject(ctx, c, in.Bucket)
	}, func(ctx context.Context) error {
		return deleteObject(ctx, c, in.Bucket)
	})
}

func deleteObject(ctx context.Context, c *s3.Client, bucket *string) error {
	_, err := c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: aws.String(objectKey)})
	return err
}

// deleteBucket deletes a bucket. A PutObject that nobody waited for any more may have come after the
// object was deleted: then it is deleted again.
func deleteBucket(ctx context.Context, s *Stand, c *s3.Client, bucket *string) error {
	var err error
	_ = await(ctx, s.pause, func(ctx context.Context) error {
		if _, err = c.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: bucket}); err == nil ||
			CauseOf(err) != "BucketNotEmpty" {
			return nil
		}
		_ = deleteObject(ctx, c, bucket) // the bucket says whether that helped
		return err
	})
	return err
}

func putObject(ctx context.Context, c *s3.Client, bucket *string) error {
	out, err := c.PutObject(ctx,
		&s3.PutObjectInput{Bucket: bucket, Key: aws.String(objectKey), Body: strings.NewReader(objectBody)})
	return whole(err, func() bool { return out.ETag == nil })
}

func openS3(cfg aws.Config, t tracing.TracerProvider, s *Stand) []Call {
	c := newS3(cfg, t, s)
	return []Call{
		func(ctx context.Context) error {
			out, err := c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: aws.String(objectKey)})
			return whole(err, func() bool { return out.ETag == nil })
		},
		func(ctx context.Context) error { return putObject(ctx, c, &s.bucket) },
	}
}

func openExpress(cfg aws.Config, t tracing.TracerProvider, s *Stand) []Call {
	c := newS3(cfg, t, s)
	return []Call{
		func(ctx context.Context) error { return putObject(ctx, c, &s.express) },
		func(ctx context.Context) error {
			out, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.express, Key: aws.String(objectKey)})
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, out.Body)
			if closed := out.Body.Close(); err == nil {
				err = closed
			}
			return whole(err, func() bool { return out.ETag == nil })
		},
	}
}
