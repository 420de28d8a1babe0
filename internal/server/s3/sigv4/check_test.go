package sigv4

// id is a credential.
func id(s scope) string { return "AKIAIOSFODNN7EXAMPLE/" + s.String() }
