package known

import (
	"slices"
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
