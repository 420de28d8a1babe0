package plimsoll;

import java.io.DataOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.net.URI;

import org.apache.hadoop.fs.s3a.auth.MarshalledCredentials;
import org.apache.hadoop.fs.s3a.auth.delegation.AbstractS3ATokenIdentifier;
import org.apache.hadoop.fs.s3a.auth.delegation.EncryptionSecrets;
import org.apache.hadoop.fs.s3a.auth.delegation.FullCredentialsTokenIdentifier;
import org.apache.hadoop.fs.s3a.auth.delegation.RoleTokenIdentifier;
import org.apache.hadoop.fs.s3a.auth.delegation.SessionTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.delegation.DelegationTokenIdentifier;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;

/** Writes credentials files of both formats with tokens that Hadoop's own classes made. The secrets are invented. */
public final class MakeCredentials {
  public static void main(String[] args) throws Exception {
    Credentials c = new Credentials();

    c.addToken(new Text("s3a-full"), s3a(new FullCredentialsTokenIdentifier(
        new URI("s3a://full-bucket"), new Text("alice"), new Text("yarn"),
        new MarshalledCredentials("AKIAFULL", "full/secret+0", ""),
        new EncryptionSecrets("SSE-KMS", "arn:aws:kms:key"), "made by a test"), "s3a://full-bucket"));

    MarshalledCredentials session = new MarshalledCredentials("ASIASESSION", "session-secret", "session-token");
    session.setExpiration(1893456000123L);
    c.addToken(new Text("s3a-session"), s3a(new SessionTokenIdentifier(
        SessionTokenIdentifierKind.SESSION, new Text("alice"), new Text("yarn"), new URI("s3a://session-bucket"),
        session, new EncryptionSecrets(), "made by a test"), "s3a://session-bucket"));

    MarshalledCredentials role = new MarshalledCredentials("ASIAROLE", "role-secret", "role-token");
    role.setExpiration(1893456000000L);
    role.setRoleARN("arn:aws:iam::1:role/r");
    c.addToken(new Text("s3a-role"), s3a(new RoleTokenIdentifier(
        new URI("s3a://role-bucket"), new Text("alice"), new Text("yarn"),
        role, new EncryptionSecrets(), "made by a test"), "s3a://role-bucket"));

    DelegationTokenIdentifier id = new DelegationTokenIdentifier(
        new Text("bob"), new Text("yarn"), new Text("oozie/host@EXAMPLE.COM"));
    id.setIssueDate(1700000000000L);
    id.setMaxDate(1700604800000L);
    id.setSequenceNumber(70000);
    id.setMasterKeyId(-3);
    c.addToken(new Text("hdfs"), new Token<>(id.getBytes(), "hdfs-password".getBytes("UTF-8"),
        id.getKind(), new Text("10.0.0.1:8020")));

    c.addSecretKey(new Text("a.secret"), "secret-value".getBytes("UTF-8"));
    // A length that needs more than one byte.
    c.addSecretKey(new Text("long.secret"), new byte[300]);

    for (Credentials.SerializedFormat format : Credentials.SerializedFormat.values()) {
      File file = new File(args[0], "credentials." + format.name().toLowerCase());
      try (DataOutputStream out = new DataOutputStream(new FileOutputStream(file))) {
        c.writeTokenStorageToStream(out, format);
      }
    }
  }

  private static Token<?> s3a(AbstractS3ATokenIdentifier id, String service) {
    return new Token<>(id.getBytes(), "not-needed".getBytes(), id.getKind(), new Text(service));
  }

  private static final class SessionTokenIdentifierKind {
    static final Text SESSION = new Text("S3ADelegationToken/Session");
  }
}
