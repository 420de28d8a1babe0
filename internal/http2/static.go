package http2

// statics is how many entries the static table has (RFC 7541, appendix A).
const statics = 61

// static is an entry of it.
func static(i int) (name, value string) { //nolint:gocyclo // it is a table
	switch i {
	case 1:
		return ":authority", ""
	case 2:
		return ":method", "GET"
	case 3:
		return ":method", "POST"
	case 4:
		return ":path", "/"
	case 5:
		return ":path", "/index.html"
	case 6:
		return ":scheme", "http"
	case 7:
		return ":scheme", "https"
	case 8:
		return ":status", "200"
	case 9:
		return ":status", "204"
	case 10:
		return ":status", "206"
	case 11:
		return ":status", "304"
	case 12:
		return ":status", "400"
	case 13:
		return ":status", "404"
	case 14:
		return ":status", "500"
	case 15:
		return "accept-charset", ""
	case 16:
		return "accept-encoding", "gzip, deflate"
	case 17:
		return "accept-language", ""
	case 18:
		return "accept-ranges", ""
	case 19:
		return "accept", ""
	case 20:
		return "access-control-allow-origin", ""
	case 21:
		return "age", ""
	case 22:
		return "allow", ""
	case 23:
		return "authorization", ""
	case 24:
		return "cache-control", ""
	case 25:
		return "content-disposition", ""
	case 26:
		return "content-encoding", ""
	case 27:
		return "content-language", ""
	case 28:
		return "content-length", ""
	case 29:
		return "content-location", ""
	case 30:
		return "content-range", ""
	case 31:
		return "content-type", ""
	case 32:
		return "cookie", ""
	case 33:
		return "date", ""
	case 34:
		return "etag", ""
	case 35:
		return "expect", ""
	case 36:
		return "expires", ""
	case 37:
		return "from", ""
	case 38:
		return "host", ""
	case 39:
		return "if-match", ""
	case 40:
		return "if-modified-since", ""
	case 41:
		return "if-none-match", ""
	case 42:
		return "if-range", ""
	case 43:
		return "if-unmodified-since", ""
	case 44:
		return "last-modified", ""
	case 45:
		return "link", ""
	case 46:
		return "location", ""
	case 47:
		return "max-forwards", ""
	case 48:
		return "proxy-authenticate", ""
	case 49:
		return "proxy-authorization", ""
	case 50:
		return "range", ""
	case 51:
		return "referer", ""
	case 52:
		return "refresh", ""
	case 53:
		return "retry-after", ""
	case 54:
		return "server", ""
	case 55:
		return "set-cookie", ""
	case 56:
		return "strict-transport-security", ""
	case 57:
		return "transfer-encoding", ""
	case 58:
		return "user-agent", ""
	case 59:
		return "vary", ""
	case 60:
		return "via", ""
	case 61:
		return "www-authenticate", ""
	}
	return "", ""
}
