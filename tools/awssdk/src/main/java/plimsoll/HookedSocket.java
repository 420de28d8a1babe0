package plimsoll;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketImpl;
import java.net.SocketOptions;
import java.nio.channels.SocketChannel;

/**
 * A client's socket that knows when an answer's first bytes came and when the next request's first
 * bytes went. The real one is that of a channel, which no factory makes. One thread at a time uses it.
 */
final class HookedSocket extends SocketImpl {
  private static long received; // when the first bytes of the last answer came; 0 after a request
  private static long cost;

  private SocketChannel channel;
  private Socket real;

  static void forget() {
    received = 0;
    cost = 0;
  }

  /** From the last answer but one to the last request, in ns. */
  static long cost() {
    return cost;
  }

  @Override
  protected void create(boolean stream) throws IOException {
    channel = SocketChannel.open();
    real = channel.socket();
  }

  @Override
  protected void connect(String host, int port) throws IOException {
    connect(new InetSocketAddress(host, port), 0);
  }

  @Override
  protected void connect(InetAddress host, int port) throws IOException {
    connect(new InetSocketAddress(host, port), 0);
  }

  @Override
  protected void connect(SocketAddress to, int timeout) throws IOException {
    real.connect(to, timeout);
    address = real.getInetAddress();
    port = real.getPort();
    localport = real.getLocalPort();
  }

  @Override
  protected InputStream getInputStream() throws IOException {
    return new FilterInputStream(real.getInputStream()) {
      @Override
      public int read() throws IOException {
        int b = super.read();
        came(b);
        return b;
      }

      @Override
      public int read(byte[] into, int from, int length) throws IOException {
        int n = super.read(into, from, length);
        came(n);
        return n;
      }

      private void came(int n) {
        if (received == 0 && n >= 0) {
          received = System.nanoTime();
        }
      }
    };
  }

  @Override
  protected OutputStream getOutputStream() throws IOException {
    return new FilterOutputStream(real.getOutputStream()) {
      @Override
      public void write(int b) throws IOException {
        goes();
        out.write(b);
      }

      @Override
      public void write(byte[] from, int at, int length) throws IOException {
        goes();
        out.write(from, at, length);
      }

      private void goes() {
        if (received != 0) {
          cost = System.nanoTime() - received;
          received = 0;
        }
      }
    };
  }

  @Override
  protected int available() throws IOException {
    return real.getInputStream().available();
  }

  @Override
  protected void close() throws IOException {
    if (channel != null) {
      channel.close();
    }
  }

  @Override
  protected void shutdownInput() throws IOException {
    real.shutdownInput();
  }

  @Override
  protected void shutdownOutput() throws IOException {
    real.shutdownOutput();
  }

  @Override
  public void setOption(int option, Object value) throws java.net.SocketException {
    switch (option) {
      case SocketOptions.TCP_NODELAY:
        real.setTcpNoDelay((Boolean) value);
        return;
      case SocketOptions.SO_TIMEOUT:
        real.setSoTimeout((Integer) value);
        return;
      case SocketOptions.SO_KEEPALIVE:
        real.setKeepAlive((Boolean) value);
        return;
      case SocketOptions.SO_REUSEADDR:
        real.setReuseAddress((Boolean) value);
        return;
      case SocketOptions.SO_LINGER:
        real.setSoLinger(value instanceof Integer, value instanceof Integer ? (Integer) value : 0);
        return;
      default:
        throw new java.net.SocketException("option " + option + " is not known here");
    }
  }

  @Override
  public Object getOption(int option) throws java.net.SocketException {
    switch (option) {
      case SocketOptions.SO_TIMEOUT:
        return real.getSoTimeout();
      case SocketOptions.TCP_NODELAY:
        return real.getTcpNoDelay();
      case SocketOptions.SO_BINDADDR:
        return real.getLocalAddress();
      default:
        throw new java.net.SocketException("option " + option + " is not known here");
    }
  }

  @Override
  protected void bind(InetAddress host, int port) throws IOException {
    real.bind(new InetSocketAddress(host, port));
  }

  @Override
  protected void listen(int backlog) throws IOException {
    throw new IOException("a client does not listen");
  }

  @Override
  protected void accept(SocketImpl socket) throws IOException {
    throw new IOException("a client does not accept");
  }

  @Override
  protected void sendUrgentData(int data) throws IOException {
    throw new IOException("there is no urgent data here");
  }
}
