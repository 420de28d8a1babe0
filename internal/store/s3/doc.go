// Package s3 is object stores that speak S3, by the AWS SDK, as a store.
package s3
