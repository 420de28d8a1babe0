// Package sftp is files over SSH, by github.com/pkg/sftp, as a store.
package sftp
