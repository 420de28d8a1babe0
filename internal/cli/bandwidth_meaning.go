package cli

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// flagMeaning names the kinds of stores that a flag means something to.
type flagMeaning struct {
	flag   string
	stores []string
}

// meanings are those of the flags that not every store knows.
func meanings() []flagMeaning {
	return []flagMeaning{
		{"endpoint", []string{"s3", "gs", "az"}},
		{"region", []string{"s3"}},
		{"path-style", []string{"s3"}},
		{"payload-signing", []string{"s3"}},
		{"part-size", []string{"s3", "gs", "az"}},
		{"max-retries", []string{"s3", "gs", "az", "http"}},
		{"timeout", []string{"s3", "gs", "az", "http", "hdfs", "sftp"}},
	}
}

// storeKind is the kind of store behind a URL's scheme; "" for one that is not known, whose
// error is another's to tell.
func storeKind(scheme string) string {
	switch scheme {
	case "s3", "s3a", "s3n":
		return "s3"
	case "az", "abfs", "abfss", "wasb", "wasbs":
		return "az"
	case "http", "https":
		return "http"
	case "gs", "hdfs", "sftp", "file", "mem":
		return scheme
	}
	return ""
}

// checkMeaning refuses flags that would be ignored, so that nobody takes a figure for that of
// another server or another setting.
func (o *bandwidthOptions) checkMeaning(given func(flag string) bool) error {
	if o.plan.URL == "" {
		for _, flag := range []string{"endpoint", "region", "path-style"} {
			if given(flag) {
				return fault.New(fault.Usage, "--%s is about the server of a URL, and none is given: the embedded server would be measured", flag).
					Hint("add a URL such as s3://BUCKET/KEY, or leave --%s out", flag)
			}
		}
		return nil
	}
	scheme, _, _ := strings.Cut(o.plan.URL, ":")
	kind := storeKind(scheme)
	if kind == "" {
		return nil
	}
	for _, m := range meanings() {
		if given(m.flag) && !slices.Contains(m.stores, kind) {
			return fault.New(fault.Usage, "--%s means nothing to a %s: store", m.flag, kind).
				Hint("leave it out; it is for %s", strings.Join(m.stores, ", "))
		}
	}
	return nil
}
