package page

import "strings"

// mostURL is how many characters of a URL are shown where many things stand side by side.
const mostURL = 40

// mostWord is the length of a path above which it may wrap.
const mostWord = 16

// words writes text in which long URLs are shortened; the full URL is the title of the short one.
func (m *markup) words(text string) {
	for i, word := range strings.Split(text, " ") {
		if i > 0 {
			m.raw(" ")
		}
		if !strings.Contains(word, "://") {
			m.text(word)
			continue
		}
		short := shortURL(word)
		if short == word {
			m.breakable(word)
			continue
		}
		m.raw(`<span class="url"`)
		m.attribute("title", word)
		m.raw(">")
		m.breakable(short)
		m.raw("</span>")
	}
}

// breakable writes a URL, which may wrap after the slashes of its path.
func (m *markup) breakable(url string) {
	rest := url
	if scheme, path, is := strings.Cut(url, "://"); is {
		m.text(scheme + "://")
		rest = path
	}
	for i, part := range strings.SplitAfter(rest, "/") {
		if i > 0 && len(rest) > mostWord && part != "" {
			m.raw("<wbr>")
		}
		m.text(part)
	}
}

// phrase writes an element with a text, or nothing if the text is empty.
func (m *markup) phrase(name, class constant, text string) {
	if text == "" {
		return
	}
	m.open(name, class)
	m.words(text)
	m.raw("</" + name + ">")
}

// shortURL returns a URL without its scheme and query, and as much of its path as there is room for. Any other text,
// and a URL that is short, is returned as it is.
func shortURL(text string) string {
	scheme, rest, is := strings.Cut(text, "://")
	if !is || len([]rune(text)) <= mostURL || strings.ContainsAny(scheme, "/?#") {
		return text
	}
	rest, _, queried := strings.Cut(rest, "?")
	if queried {
		rest += "?…"
	}
	host, path, deep := strings.Cut(rest, "/")
	if scheme != "http" && scheme != "https" {
		host = scheme + "://" + host
	}
	if room := mostURL - len([]rune(host)) - 1; deep && len([]rune(path)) > room {
		path = "…/" + path[strings.LastIndexByte(path, '/')+1:]
		if long := []rune(path); len(long) > max(room, 8) {
			path = string(long[:max(room, 8)-1]) + "…"
		}
	}
	if !deep {
		return host
	}
	return host + "/" + path
}
