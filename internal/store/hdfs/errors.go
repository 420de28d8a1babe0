package hdfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/colinmarc/hdfs/v2"

	"github.com/plimsoll/plimsoll/internal/store"
)

// standby is the cause of the errors of namenodes that are not active.
const standby = "standby"

// explain makes a store's error of one of the library, which often has the cause only as
// text or not at all. The session has what came over its connections.
func (x *session) explain(err error, doing string) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(x.life); cause != nil && !errors.Is(cause, errClosed) {
		return cause
	}
	x.mu.Lock()
	fault, r := x.fault, x.remote
	x.mu.Unlock()
	var known *store.Error
	var answered hdfs.Error
	var login *refused
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(fault, &login):
		return store.Fail(store.AccessDenied, "%s: %w", doing, login).WithHint("get a new delegation token for this cluster")
	case r != nil &&
		(errors.As(err, &answered) || isSystem(err) || fault == nil || store.CauseOf(fault) == store.Reset):
		return ofRemote(r, doing, err)
	case strings.Contains(err.Error(), "invalid checksum"):
		return store.Fail(store.Corrupt, "%s: the data does not match the datanodes' checksums", doing)
	case isSystem(err):
		return &store.Error{Cause: store.CauseOf(err), Err: fmt.Errorf("%s: %w", doing, bare(err))}
	case fault != nil:
		return ofConnection(fault, doing)
	}
	return ofConnection(err, doing)
}

// isSystem tells whether the library made a system's error of an exception.
func isSystem(err error) bool {
	return errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrExist) ||
		errors.Is(err, os.ErrInvalid)
}

// bare is an error without the path, which the message has already.
func bare(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// ofConnection is an error of a connection.
func ofConnection(err error, doing string) error {
	e := &store.Error{Cause: store.CauseOf(err), Err: fmt.Errorf("%s: %w", doing, bare(err))}
	switch {
	case errors.Is(err, errNotHadoop), errors.Is(err, errNotDatanode), errors.Is(err, errNoData):
		e.Cause = store.Protocol
		return e.WithHint("check that the port is the namenode's RPC port, such as 8020, not that of its web UI")
	case errors.Is(err, errProtection):
		e.Cause = store.Unsupported
		return e.WithHint("use Kerberos, or a cluster with hadoop.rpc.protection=authentication")
	case errors.Is(err, errLogin):
		e.Cause = store.AccessDenied
		return e.WithHint("get a new delegation token for this cluster")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Cause = store.Reset
		e.Err = fmt.Errorf("%s: the server closed the connection", doing)
	case e.Cause == store.Refused:
		return e.WithHint("check that the namenode is running and that its address is right")
	}
	if e.Cause == store.Other {
		// What the library says of answers that it cannot read.
		for _, text := range []string{"unexpected", "invalid", "proto:"} {
			if strings.Contains(err.Error(), text) {
				e.Cause = store.Protocol
			}
		}
	}
	return e
}

// ofRemote is an error that a namenode answered. The causes without a constant are the names
// of the exceptions, in the form of the others.
func ofRemote(r *remote, doing string, err error) error {
	class := r.exception[strings.LastIndexAny(r.exception, ".$")+1:]
	message := r.message
	if message == "" {
		message = class
	}
	e := store.Fail(store.Other, "%s: %s", doing, message)
	switch class {
	case "AccessControlException", "AuthorizationException":
		e.Cause = store.AccessDenied
		return e.WithHint("use another directory, or set HADOOP_USER_NAME to a user who has access")
	case "InvalidToken", "InvalidEncryptionKeyException":
		e.Cause = store.AccessDenied
		return e.WithHint("get a new delegation token for this cluster")
	case "FileNotFoundException":
		e.Cause = store.NoFile
	case "ParentNotDirectoryException":
		e.Cause = store.NoBucket
	case "SafeModeException":
		e.Cause = "safe-mode"
		return e.WithHint("wait until the namenode leaves safe mode")
	case "StandbyException":
		e.Cause = standby
		return e.WithHint("use the address of the active namenode, or list all of them in dfs.ha.namenodes.NAMESERVICE")
	case "DSQuotaExceededException", "NSQuotaExceededException", "QuotaByStorageTypeExceededException":
		e.Cause = store.DiskFull
		return e.WithHint("use a smaller size, or a directory with a larger quota")
	case "RetriableException", "ServerTooBusyException":
		e.Cause = store.SlowDown
	case "RpcNoSuchMethodException", "RpcNoSuchProtocolException", "RPC$VersionMismatch", "VersionMismatch":
		e.Cause = store.Protocol
	case "IOException":
		if strings.Contains(message, "could only be") {
			e.Cause = "no-datanode"
			return e.WithHint("check that the datanodes are running and have free space")
		}
	}
	if isSystem(err) && e.Cause == store.Other {
		e.Cause = store.CauseOf(err)
	}
	return e
}

// guard runs code of the library. It trusts what servers send: a panic becomes an error.
func (x *session) guard(run func() error) (err error) {
	x.forget()
	defer func() {
		if p := recover(); p != nil {
			err = store.Fail(store.Protocol, "cannot parse the server's response: %v", p)
			x.noteFault(err, true)
		}
	}()
	return run()
}
