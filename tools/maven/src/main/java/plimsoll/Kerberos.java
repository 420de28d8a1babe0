package plimsoll;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.kerby.KOptions;
import org.apache.kerby.kerberos.kerb.client.KrbClient;
import org.apache.kerby.kerberos.kerb.client.KrbOption;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/** A realm of Kerberos on loopback: the servers are hdfs/localhost, and alice has a ticket in the file ccache. */
final class Kerberos {
  private static final String REALM = "EXAMPLE.COM";

  /** Starts it and sets up the cluster for it. Clients use krb5.conf and ccache in dir. */
  static void start(File dir, Configuration conf) throws Exception {
    int port = freePort();
    File config = new File(dir, "krb5.conf");
    Files.write(config.toPath(), ("[libdefaults]\n default_realm = " + REALM + "\n udp_preference_limit = 1\n"
        + " dns_lookup_kdc = false\n rdns = false\n ticket_lifetime = 1h\n"
        + "[realms]\n " + REALM + " = {\n  kdc = 127.0.0.1:" + port + "\n }\n").getBytes(StandardCharsets.UTF_8));
    System.setProperty("java.security.krb5.conf", config.getPath());

    SimpleKdcServer kdc = new SimpleKdcServer();
    File work = new File(dir, "kdc");
    if (!work.mkdirs()) {
      throw new IOException("cannot make " + work);
    }
    kdc.setWorkDir(work);
    kdc.setKdcHost("127.0.0.1");
    kdc.setKdcRealm(REALM);
    kdc.setAllowUdp(false);
    kdc.setKdcTcpPort(port);
    kdc.init();
    kdc.start();
    File keytab = new File(dir, "keytab");
    kdc.createAndExportPrincipals(keytab, "hdfs/localhost", "HTTP/localhost");
    kdc.createPrincipal("alice", "a password");
    KOptions options = new KOptions();
    options.add(KrbOption.CLIENT_PRINCIPAL, "alice@" + REALM);
    options.add(KrbOption.USE_PASSWD, true);
    options.add(KrbOption.USER_PASSWD, "a password");
    KrbClient client = kdc.getKrbClient();
    client.storeTicket(client.requestTgt(options), new File(dir, "ccache"));

    conf.set("hadoop.security.authentication", "kerberos");
    conf.setBoolean("dfs.block.access.token.enable", true);
    conf.setBoolean("ignore.secure.ports.for.testing", true);
    for (String server : new String[] {"namenode", "datanode"}) {
      conf.set("dfs." + server + ".kerberos.principal", "hdfs/localhost@" + REALM);
      conf.set("dfs." + server + ".keytab.file", keytab.getPath());
    }
    conf.set("dfs.web.authentication.kerberos.principal", "HTTP/localhost@" + REALM);
    conf.set("dfs.web.authentication.kerberos.keytab", keytab.getPath());
    UserGroupInformation.setConfiguration(conf);
    UserGroupInformation.loginUserFromKeytab("hdfs/localhost@" + REALM, keytab.getPath());
  }

  private static int freePort() throws IOException {
    try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return s.getLocalPort();
    }
  }

  private Kerberos() {}
}
