package plimsoll;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import java.util.zip.CRC32;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;

/**
 * An HDFS in one process, on loopback, for the tests of the store. It answers each command on
 * stdin with one line on stdout, "ok ..." or "error ...", and ends with its stdin. Its
 * arguments are a directory and properties, name=value; ha=true gives two namenodes, and
 * kerberos=true a realm (then all tokens are those of hdfs).
 */
public final class Minicluster {
  private final MiniDFSCluster cluster;
  private final boolean ha;
  private MiniDFSCluster.DataNodeProperties stopped;

  private Minicluster(MiniDFSCluster cluster, boolean ha) {
    this.cluster = cluster;
    this.ha = ha;
  }

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, "UTF-8");
    System.setOut(System.err); // stdout has answers and nothing else
    Configuration conf = new Configuration();
    conf.set("hadoop.tmp.dir", args[0]);
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, new File(args[0], "dfs").getPath());
    // Tokens without Kerberos, small blocks, and a heartbeat that sees a dead datanode soon.
    conf.setBoolean("dfs.namenode.delegation.token.always-use", true);
    conf.setLong("dfs.namenode.fs-limits.min-block-size", 1024);
    conf.setLong("dfs.blocksize", 1024 * 1024);
    conf.setInt("dfs.replication", 1);
    int datanodes = 1;
    boolean ha = false;
    boolean kerberos = false;
    for (int i = 1; i < args.length; i++) {
      String[] pair = args[i].split("=", 2);
      switch (pair[0]) {
        case "datanodes": datanodes = Integer.parseInt(pair[1]); break;
        case "kerberos": kerberos = Boolean.parseBoolean(pair[1]); break;
        case "ha": ha = Boolean.parseBoolean(pair[1]); break;
        default: conf.set(pair[0], pair[1]);
      }
    }
    UserGroupInformation.setConfiguration(conf);
    if (kerberos) {
      Kerberos.start(new File(args[0]), conf);
    }
    MiniDFSCluster.Builder builder = new MiniDFSCluster.Builder(conf).numDataNodes(datanodes);
    if (ha) {
      builder.nnTopology(MiniDFSNNTopology.simpleHATopology());
    }
    MiniDFSCluster cluster = builder.build();
    try {
      if (ha) {
        cluster.transitionToActive(1);
      }
      cluster.waitActive();
      StringBuilder ready = new StringBuilder("ok");
      for (int i = 0; i < (ha ? 2 : 1); i++) {
        ready.append(" 127.0.0.1:").append(cluster.getNameNodePort(i));
      }
      out.println(ready);
      new Minicluster(cluster, ha).serve(out);
    } finally {
      cluster.shutdown();
    }
    System.exit(0);
  }

  private void serve(PrintStream out) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        out.println("ok " + answer(line.split(" ")));
      } catch (Exception e) {
        out.println("error " + e.toString().replace('\n', ' '));
      }
    }
  }

  private String answer(String[] words) throws Exception {
    DistributedFileSystem fs = cluster.getFileSystem(ha ? 1 : 0);
    switch (words[0]) {
      case "visible": // bytes that a new reader sees, and their CRC-32
        return visible(fs, new Path(words[1]));
      case "mkdir": // path, mode, owner
        fs.mkdirs(new Path(words[1]));
        fs.setPermission(new Path(words[1]), new FsPermission(words[2]));
        fs.setOwner(new Path(words[1]), words[3], words[3]);
        return "";
      case "token": // file, owner
        return token(fs, words[1], words.length > 2 ? words[2] : "");
      case "status": // replication and block size
        return fs.getFileStatus(new Path(words[1])).getReplication() + " " + fs.getFileStatus(new Path(words[1])).getBlockSize();
      case "corrupt": // the first block of a file, on all datanodes
        ExtendedBlock block = DFSTestUtil.getFirstBlock(fs, new Path(words[1]));
        return String.valueOf(cluster.corruptBlockOnDataNodes(block));
      case "erasure": // make it a directory of erasure-coded files
        fs.enableErasureCodingPolicy("XOR-2-1-1024k");
        fs.mkdirs(new Path(words[1]));
        fs.setErasureCodingPolicy(new Path(words[1]), "XOR-2-1-1024k");
        return "";
      case "quota": // path, bytes
        fs.setQuota(new Path(words[1]), Long.MAX_VALUE, Long.parseLong(words[2]));
        return "";
      case "safemode":
        fs.setSafeMode(words[1].equals("on") ? SafeModeAction.SAFEMODE_ENTER : SafeModeAction.SAFEMODE_LEAVE);
        return "";
      case "stop-datanode":
        stopped = cluster.stopDataNode(0);
        return "";
      case "start-datanode":
        cluster.restartDataNode(stopped, true);
        cluster.waitActive();
        return "";
      case "failover": // to namenode 0 or 1
        cluster.transitionToStandby(1 - Integer.parseInt(words[1]));
        cluster.transitionToActive(Integer.parseInt(words[1]));
        return "";
      default:
        throw new IllegalArgumentException("unknown command " + words[0]);
    }
  }

  private static String visible(FileSystem fs, Path path) throws IOException {
    CRC32 crc = new CRC32();
    long n = 0;
    byte[] buffer = new byte[65536];
    try (FSDataInputStream in = fs.open(path)) {
      for (int k = in.read(buffer); k > 0; k = in.read(buffer)) {
        crc.update(buffer, 0, k);
        n += k;
      }
    }
    return n + " " + crc.getValue();
  }

  /** Writes a credentials file with a delegation token of that user. */
  private String token(DistributedFileSystem fs, String file, String owner) throws Exception {
    // With Kerberos, only who has a ticket gets a token.
    UserGroupInformation user = UserGroupInformation.isSecurityEnabled()
        ? UserGroupInformation.getLoginUser() : UserGroupInformation.createRemoteUser(owner);
    Token<?> token = user.doAs((PrivilegedExceptionAction<Token<?>>) () ->
        FileSystem.newInstance(fs.getUri(), fs.getConf()).getDelegationToken("renewer"));
    Credentials c = new Credentials();
    c.addToken(token.getService(), token);
    c.writeTokenStorageFile(new Path("file://" + file), new Configuration());
    return token.getService().toString();
  }
}
