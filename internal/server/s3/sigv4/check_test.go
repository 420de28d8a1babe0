package sigv4
