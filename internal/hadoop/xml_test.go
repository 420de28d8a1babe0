package hadoop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write puts files into a directory of their own.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// properties are what the settings have, without marking them as used.
func properties(s *Settings) map[string]string {
	all := map[string]string{}
	s.eachProperty(func(key string, p property) { all[key] = p.value })
	return all
}

const (
	head = `<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="configuration.xsl"?>
<!-- a comment -->
<configuration xmlns:xi="http://www.w3.org/2001/XInclude">
`
	tail = "</configuration>\n"
)

func TestReadXML(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  map[string]string
	}{
		"usual": {
			map[string]string{"a.xml": head + `<property><name> a.b </name><value>c &amp; d</value><description><b>x</b></description></property>
				<property name="attr" value="1"/><property><name>novalue</name></property><property><name>empty</name><value/></property>
				<property><name>cdata</name><value><![CDATA[<x>]]></value></property>` + tail},
			map[string]string{"a.b": "c & d", "attr": "1", "empty": "", "cdata": "<x>"},
		},
		"the last of a name": {
			map[string]string{"a.xml": head +
				`<property><name>a</name><value>1</value></property><property><name>a</name><value>2</value></property>` + tail},
			map[string]string{"a": "2"},
		},
		"final": {
			map[string]string{"a.xml": head +
				`<property><name>a</name><value>1</value><final>true</final></property><property><name>a</name><value>2</value></property>` + tail},
			map[string]string{"a": "1"},
		},
		"nested": {
			map[string]string{"a.xml": head +
				`<configuration><property><name>a</name><value>1</value></property></configuration><other><property/></other>` + tail},
			map[string]string{"a": "1"},
		},
		"include": {
			map[string]string{
				"a.xml": head +
					`<xi:include href="sub/b.xml"/><property><name>b</name><value>over</value></property>` + tail,
				"sub/b.xml": head + `<property><name>b</name><value>1</value></property><xi:include href="c.xml"><xi:fallback><nonsense/></xi:fallback></xi:include>` + tail,
				"sub/c.xml": head + `<property><name>c</name><value>2</value></property>` + tail,
			},
			map[string]string{"b": "over", "c": "2"},
		},
		"fallback": {
			map[string]string{"a.xml": head +
				`<xi:include href="none.xml"><xi:fallback><property><name>f</name><value>1</value></property></xi:fallback></xi:include>` + tail},
			map[string]string{"f": "1"},
		},
		"latin": {
			map[string]string{"a.xml": `<?xml version="1.0" encoding="ISO-8859-1"?><configuration><property><name>a</name><value>` + "\xe4" + `</value></property></configuration>`},
			map[string]string{"a": "ä"},
		},
		"deprecated": {
			map[string]string{"a.xml": head + `<property><name>fs.default.name</name><value>hdfs://x</value></property><property><name>dfs.block.size</name><value>1m</value></property>` + tail},
			map[string]string{"fs.defaultFS": "hdfs://x", "dfs.blocksize": "1m"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var s Settings
			if err := s.ReadXML(filepath.Join(write(t, test.files), "a.xml")); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, properties(&s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Later files override earlier ones, except final properties; -D overrides all.
func TestXMLPrecedence(t *testing.T) {
	dir := write(t, map[string]string{
		"1.xml": head + `<property><name>a</name><value>1</value></property><property><name>f</name><value>1</value><final>true</final></property>
			<property><name>d</name><value>1</value></property><property><name>g</name><value>1</value><final>true</final></property>` + tail,
		"2.xml": head + `<property><name>a</name><value>2</value></property><property><name>f</name><value>2</value></property><property><name>d</name><value>2</value></property>` + tail,
	})
	var s Settings
	if err := s.SetProperty("d=D"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"1.xml", "2.xml"} {
		if err := s.ReadXML(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SetProperty("g=D"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a": "2", "f": "1", "d": "D", "g": "D"}, properties(&s)); diff != "" {
		t.Error(diff)
	}
	for _, key := range []string{"a", "d"} {
		s.Lookup(key)
	}
	want := []Applied{{"a", "2", filepath.Join(dir, "2.xml")}, {"d", "D", "-D"}}
	if diff := cmp.Diff(want, s.Applied()); diff != "" {
		t.Error(diff)
	}
}

func TestReadXMLErrors(t *testing.T) {
	deep := strings.Repeat("<configuration>", 9) + strings.Repeat("</configuration>", 9)
	for name, test := range map[string]struct{ content, want string }{
		"empty": {"", "a.xml:1: no <configuration> element found"},
		"text":  {"hello\n", "a.xml:2: no <configuration> element found"},
		"html": {"\n<html><body>404</body></html>",
			"a.xml:2: the root element is <html>, not <configuration>"},
		"cut":       {head + "<property>\n<name>a", "a.xml:6: unexpected EOF"},
		"wrong end": {head + "<property>\n</name></property>" + tail, "a.xml:6: element <property> closed by </name>"},
		"no name": {head + "\n<property>\n<value>hunter2</value>\n</property>" + tail,
			"a.xml:8: a <property> has no <name>; add one, or remove the property"},
		"blank name": {head + "<property><name> </name><value>hunter2</value></property>" + tail,
			"a.xml:5: a <property> has no <name>; add one, or remove the property"},
		"dtd": {"<?xml version='1.0'?>\n<!DOCTYPE configuration [<!ENTITY x SYSTEM " +
			"'file:///etc/passwd'>]>\n<configuration/>",
			"a.xml:2: document type declarations are not accepted; remove it"},
		"entity": {head + "<property><name>a</name><value>&x;</value></property>" + tail,
			"a.xml:5: invalid character entity &x;"},
		"element in it": {head + "<property><name>a</name><value><b/></value></property>" + tail,
			"a.xml:5: unexpected <b> inside the text of a property"},
		"control": {head + "<property><name>a&#x9b;b</name><value>1</value></property>" + tail,
			`a.xml:5: property name "a\u009bb" contains an unprintable character; remove it`},
		"giant": {head + "<property><name>a</name><value>" + strings.Repeat("x", 1<<20+1) + "</value></property>" +
			tail, `a.xml:5: the value of "a" has 1048577 bytes; at most 1048576 are accepted`},
		"behind": {"<configuration/>\n<x", "a.xml:2: unexpected EOF"},
		"encoding": {"<?xml version='1.0' encoding='EBCDIC'?><configuration/>",
			`a.xml:1: xml: opening charset "EBCDIC": encoding "EBCDIC" is not supported; convert the file to UTF-8`},
		"deep":   {head + deep + tail, "a.xml:5: configurations are nested more than 8 levels deep"},
		"circle": {head + `<xi:include href="a.xml"/>` + tail, "a.xml:5: included: a.xml: the file includes itself"},
		"missing": {head + `<xi:include href="no.xml"/>` + tail,
			`a.xml:5: include of "no.xml": no such file or directory`},
		"network": {head + `<xi:include href="http://u:hunter2@host/b.xml"/>` + tail,
			`a.xml:5: include of "http://(secret)@host/b.xml": only local files can be included; copy the file and ` +
				`name the copy`},
		"no href": {head + `<xi:include/>` + tail, `a.xml:5: an include has no href`},
		"included": {head + `<xi:include href="bad.xml"/>` + tail,
			"a.xml:5: included: bad.xml:1: no <configuration> element found"},
		"chain": {head + `<xi:include href="c1.xml"/>` + tail, ""},
		"directory": {head + `<xi:include href="."/>` + tail,
			"a.xml:5: included: DIR is a directory; name a file, for example core-site.xml"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"a.xml": test.content, "bad.xml": ""}
			for i := 1; i < 10; i++ {
				files["c"+string(rune('0'+i))+".xml"] = head + `<xi:include href="c` + string(rune('1'+i)) +
					`.xml"/>` + tail
			}
			dir := write(t, files)
			var s Settings
			err := s.ReadXML(filepath.Join(dir, "a.xml"))
			got := strings.ReplaceAll(strings.ReplaceAll(text(err), dir+"/", ""), dir, "DIR")
			if name == "chain" {
				if !strings.HasSuffix(got, "c8.xml: includes are nested more than 8 levels deep") {
					t.Error(got)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(got, "hunter2") {
				t.Error("a secret is in the error")
			}
		})
	}
}

func TestReadXMLFiles(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.xml")
	f, err := os.Create(large)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(maxFile + 1); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	for path, want := range map[string]string{
		large:                            large + ": the file and its includes exceed 16 MiB",
		dir:                              dir + " is a directory; name a file, for example core-site.xml",
		filepath.Join(dir, "no.xml"):     filepath.Join(dir, "no.xml") + ": no such file or directory",
		"http://u:hunter2@host/core.xml": "http://(secret)@host/core.xml: only local files can be read",
	} {
		var s Settings
		if got := text(s.ReadXML(path)); got != want {
			t.Errorf("%s", got)
		}
	}
}

func FuzzReadXML(f *testing.F) {
	f.Add([]byte(head +
		`<property><name>a</name><value>${b}</value><final>true</final></property><xi:include href="x"><xi:fallback/></xi:include>` + tail))
	f.Add([]byte(head + `<property name="a" value="${env.HOME:-x}"/>` + tail))
	f.Add([]byte("<!DOCTYPE x><configuration/>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Settings
		left := int64(maxFile)
		// The names of files to include are not found: what is tried is the parser.
		r := &reader{settings: &s, path: "/nowhere/a.xml", open: []string{"/nowhere/a.xml"}, left: &left}
		if err := r.document(data); err != nil && !strings.HasPrefix(err.Error(), "/nowhere/a.xml:") {
			t.Errorf("%v", err)
		}
		for key := range properties(&s) {
			s.Lookup(key)
		}
		s.Applied()
	})
}
