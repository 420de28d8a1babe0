package awsload

import "github.com/aws/aws-sdk-go-v2/aws"

// WithoutRetries returns the options with a single attempt to fetch credentials from a container's server.
func (o Options) WithoutRetries() Options {
	o.retryer = aws.NopRetryer{}
	return o
}
