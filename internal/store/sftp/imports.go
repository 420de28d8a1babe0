package sftp

import (
	_ "github.com/pkg/sftp"
	_ "golang.org/x/crypto/ssh"
)
