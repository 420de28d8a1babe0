package bandwidth

import (
	"slices"
	"testing"
)

func TestIgnoredFlagsAreRejected(t *testing.T) {
	for _, test := range []struct {
		url     string
		flags   []string
		refused bool
	}{
		{"", []string{"endpoint"}, true},
		{"", []string{"region"}, true},
		{"", []string{"path-style"}, true},
		{"", []string{"ca"}, true},
		{"", []string{"insecure"}, true},
		{"https://h/k", []string{"ca"}, false},
		{"az://b/k", []string{"insecure"}, false},
		{"hdfs://n/k", []string{"ca"}, true},
		{"", []string{"part-size", "payload-signing", "max-retries", "timeout"}, false},
		{"s3a://b/k", []string{"endpoint", "region", "path-style", "payload-signing", "part-size", "max-retries",
			"timeout"}, false},
		{"gs://b/k", []string{"endpoint", "part-size", "max-retries", "timeout"}, false},
		{"abfss://c@a.host/k", []string{"endpoint", "part-size", "max-retries", "timeout"}, false},
		{"gs://b/k", []string{"region"}, true},
		{"az://b/k", []string{"path-style"}, true},
		{"hdfs://n/k", []string{"timeout", "max-retries"}, false},
		{"hdfs://n/k", []string{"part-size"}, true},
		{"https://h/k", []string{"max-retries", "timeout"}, false},
		{"https://h/k", []string{"part-size"}, true},
		{"sftp://h/k", []string{"payload-signing"}, true},
		{"file:/k", []string{"timeout"}, true},
		{"mem:", []string{"endpoint"}, true},
		{"/path/of/defaultFS", []string{"endpoint"}, false},
		{"mem:", []string{"block", "streams", "active-blocks"}, false},
	} {
		c := &Command{}
		c.Plan.URL = test.url
		err := c.checkMeaning(func(flag string) bool { return slices.Contains(test.flags, flag) })
		if (err != nil) != test.refused {
			t.Errorf("%q with %v: %v", test.url, test.flags, err)
		}
	}
}
