package cli

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	s3target "github.com/plimsoll/plimsoll/internal/server/s3"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/s3"
)

// leave begins uploads, sends a part of each, and leaves them there as a run does that is killed.
func leave(t *testing.T, endpoint string, names ...string) {
	t.Helper()
	const part = 1000
	b, err := s3.Open(t.Context(), store.Config{
		URL: &url.URL{Scheme: "s3", Host: s3target.DefaultBucket}, Endpoint: endpoint, Block: part, PartSize: part,
		ActiveParts: 1, Retries: 0, Requests: &store.Requests{},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	for _, name := range names {
		w, err := b.Create(t.Context(), "/"+name, 10*part)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.Abort(context.Background()) })
		for range 3 { // the third is taken when one of those before it is there, and so is the upload
			if _, err := w.Reserve(t.Context(), part); err != nil {
				t.Fatal(err)
			}
			if err := w.Write(t.Context(), part); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Leftovers lists and gives up what runs left, and nothing of anybody else that was not asked for.
func TestLeftovers(t *testing.T) {
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": s3target.DefaultAccessKey, "AWS_SECRET_ACCESS_KEY": s3target.DefaultSecretKey,
		"AWS_REGION": s3target.DefaultRegion, "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
	} {
		t.Setenv(name, value)
	}
	endpoint := served(t, "s3")
	const own = "d/plimsoll-20261123T060217.239Z-ea51"
	leave(t, endpoint, "d/a", "d/plimsoll-mine", own, own+"-2", own+".part", "d/named", "d/named-2", "d/named-new", "else")
	at := func(args string) []string { // what is there or given up, with what became of it
		t.Helper()
		all := append([]string{"bandwidth", "leftovers"}, strings.Fields(args)...)
		code, out, errs := execute(t, append(all, "--json", "--endpoint", endpoint)...)
		if code != 0 {
			t.Fatalf("%s: %d %s", args, code, errs)
		}
		var list []struct {
			URL   string `json:"url"`
			Given bool   `json:"given_up"`
		}
		if err := json.Unmarshal([]byte(out), &list); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, l := range list {
			name := strings.TrimPrefix(l.URL, "s3://"+s3target.DefaultBucket+"/")
			if l.Given {
				name += " given up"
			}
			names = append(names, name)
		}
		return names
	}
	dir := "s3://" + s3target.DefaultBucket + "/d/"
	rest := []string{"d/a", "d/named", "d/named-2", "d/named-new", own + ".part", "d/plimsoll-mine"}
	for _, test := range []struct {
		args string
		want []string
	}{
		{dir, []string{own, own + "-2"}},
		{dir + " --abort", []string{own, own + "-2"}},    // too young
		{dir + " --older 0s", []string{own, own + "-2"}}, // without being asked
		{dir + " --abort --older 0s", []string{own + " given up", own + "-2 given up"}},
		{dir, nil},
		{dir + " --all", rest},
		{dir + "named", []string{"d/named", "d/named-2"}},
		{dir + "named --abort --older 0s", []string{"d/named given up", "d/named-2 given up"}},
		{dir + " --all", append(rest[:1:1], rest[3:]...)},
		{"s3://" + s3target.DefaultBucket + " --all", append(append(rest[:1:1], rest[3:]...), "else")},
	} {
		if diff := cmp.Diff(test.want, at(test.args)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.args, diff)
		}
	}
	code, out, _ := execute(t, "bandwidth", "leftovers", dir+"a", "--older", "0s", "--endpoint", endpoint)
	if code != 0 || !strings.Contains(out, "1 upload; --abort aborts the 1 that are older than 0s") {
		t.Errorf("%d %s", code, out)
	}
	code, _, errs := execute(t, "bandwidth", "leftovers", "file:/tmp/")
	if code != 2 || !strings.Contains(errs, "file:/tmp/ does not keep unfinished uploads") {
		t.Errorf("%d %s", code, errs)
	}
}
