package known

import (
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Each driver describes itself completely, no scheme is used twice, and every setting exists.
func TestDriversAreComplete(t *testing.T) {
	taken := map[string]string{}
	for _, d := range Drivers() {
		if d.Name == "" || d.Forms == "" || d.About == "" || d.Open == nil || len(d.Schemes) == 0 {
			t.Errorf("%q does not say all of itself: %+v", d.Name, d)
		}
		if !slices.Contains(d.Schemes, d.Name) {
			t.Errorf("%s: is no scheme, and messages show it as one", d.Name)
		}
		for _, scheme := range slices.Concat(d.Schemes, d.Aliases) {
			if other, ok := taken[scheme]; ok {
				t.Errorf("%s: is of %s and of %s", scheme, other, d.Name)
			}
			taken[scheme] = d.Name
		}
		for _, s := range d.Knows {
			if !slices.Contains(store.Settings(), s) {
				t.Errorf("%s knows %q, which is no setting", d.Name, s)
			}
		}
	}
	for _, s := range store.Settings() {
		if len(Drivers().Knowing(s)) == 0 {
			t.Errorf("no store knows %s", s)
		}
	}
}

func TestFind(t *testing.T) {
	for scheme, want := range map[string]string{
		"s3": "s3", "s3a": "s3", "s3n": "s3", "gs": "gs", "abfs": "az", "abfss": "az", "wasb": "az",
		"wasbs": "az", "az": "az",
		"hdfs": "hdfs", "sftp": "sftp", "http": "http", "https": "http", "file": "file", "mem": "mem",
		"ftp": "", "": "",
	} {
		d, ok := Drivers().Find(scheme)
		if d.Name != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", scheme, d.Name, ok, want)
		}
	}
}

// What the URL of an object says behind its bucket is the object's name, as the stores' own tools take it, and the URL
// that is shown names the same object.
func TestURLNamesOneFile(t *testing.T) {
	all := Drivers()
	for raw, want := range map[string]string{
		"s3://b/q?v=1#frag":             "/q?v=1#frag",
		"S3A://b/q?":                    "/q?",
		"s3://b//a/ /ü+%zz%20":          "//a/ /ü+%zz%20",
		"s3://b":                        "/",
		"gs://b/100%#1":                 "/100%#1",
		"az://c/a?b":                    "/a?b",
		"abfs://c@acct.dfs.host/a#b":    "/a#b",
		"hdfs://nn:8020/part?x%20":      "/part?x%20",
		"hdfs:/data#1":                  "/data#1",
		"mem:/a?b":                      "/a?b",
		"file:/tmp/a%20b%23":            "/tmp/a b#",
		"sftp://h/a%3Fb":                "/a?b",
		"http://h/a%2Fb%20c/%E4?v=1":    "/a%2Fb%20c/%E4",
		"https://h/a b":                 "/a%20b",
		"sftp://me@[::1]:22/~/x":        "/~/x",
		"file:/tmp/" + "ü":              "/tmp/ü",
		"abfss://c@acct.dfs.host//x//y": "//x//y",
	} {
		u, err := all.ParseURL(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		d, _ := all.Find(u.Scheme)
		path := d.PathOf(u)
		if path != want {
			t.Errorf("%s names %q, want %q", raw, path, want)
		}
		shown := d.Show(u, path)
		again, err := all.ParseURL(shown)
		if err != nil || d.PathOf(again) != want || again.Host != u.Host {
			t.Errorf("%s is shown as %s, which names %v, %v", raw, shown, again, err)
		}
	}
}

func TestURLThatCouldNameAnotherFileIsRefused(t *testing.T) {
	for raw, want := range map[string]string{
		"s3://b?x/y":                 "after a /",
		"s3://b#":                    "after a /",
		"s3://b/a\nb":                "control character",
		"s3://b/a\xff":               "UTF-8",
		"az://c/f?sv=2024&sig=abc":   "credential",
		"s3://b/k?X-Amz-Signature=1": "credential",
		"file:/a?b":                  "cannot be part of a file name",
		"file:a#":                    "cannot be part of a file name",
		"sftp://h/a?b":               "cannot be part of a file name",
		"http://h/a#b":               "cannot be part of a file name",
		"file:a%zz":                  "not a valid URL",
		"http://me:secret@h:port/x":  "not a valid URL",
		"s3://AK:sec/ret@b/key":      "not a valid URL",
		"gs://b/k?X-Goog-Signature=00&X-Goog-Date=11": "credential",
	} {
		if u, err := Drivers().ParseURL(raw); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", raw, u, err, want)
		}
	}
}
