package dev.quire.test.wire.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** How a client connects over HTTP/2: by prior knowledge, or over TLS with ALPN. */
public final class Http2Setup {
    private final InetSocketAddress server;
    private @Nullable SSLContext tls;
    private @Nullable InetAddress from;
    private @Nullable String authority;
    private long[] settings = {};
    private boolean grants = true;
    private boolean acknowledges = true;
    private boolean isPatient;
    private int receiveBuffer;
    private byte[] before = {};

    private Http2Setup(InetSocketAddress server) {
        this.server = server;
    }

    public static Http2Setup to(InetSocketAddress server) {
        return new Http2Setup(server);
    }

    /** Over TLS; without this, by prior knowledge. */
    public Http2Setup over(@Nullable SSLContext context) {
        tls = context;
        return this;
    }

    public Http2Setup from(InetAddress address) {
        from = address;
        return this;
    }

    /** The authority of requests; by default that of the server's address. */
    public Http2Setup authority(String name) {
        authority = name;
        return this;
    }

    /** With these settings in its first frame: identifiers and values alternating. */
    public Http2Setup settings(long... pairs) {
        settings = pairs.clone();
        return this;
    }

    /** Sends WINDOW_UPDATE only where the test does. */
    public Http2Setup withoutWindowUpdates() {
        grants = false;
        return this;
    }

    /** Does not acknowledge SETTINGS and PING. */
    public Http2Setup withoutAcknowledgements() {
        acknowledges = false;
        return this;
    }

    /** With a small buffer of the kernel, so that the server notices soon that it is not read. */
    public Http2Setup narrow() {
        receiveBuffer = 4096;
        return this;
    }

    /** Sends these bytes first, before TLS: a header of the PROXY protocol. */
    public Http2Setup behind(byte[] header) {
        before = header.clone();
        return this;
    }

    /** Waits without a limit: for a client that another client ends. */
    public Http2Setup patient() {
        isPatient = true;
        return this;
    }

    /**
     * Connects and sends the preface.
     *
     * @throws IOException if the server does not accept the connection or does not select h2
     */
    public Http2Wire open() throws IOException {
        var socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            if (receiveBuffer > 0) {
                socket.setReceiveBufferSize(receiveBuffer);
            }
            if (from != null) {
                socket.bind(new InetSocketAddress(from, 0));
            }
            socket.connect(server, (int) Watch.PATIENCE.toMillis());
            socket.getOutputStream().write(before);
            return new Http2Wire(secured(socket), this);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private Socket secured(Socket socket) throws IOException {
        if (tls == null) {
            return socket;
        }
        var secured =
                (SSLSocket)
                        tls.getSocketFactory()
                                .createSocket(
                                        socket, server.getHostString(), server.getPort(), true);
        var parameters = secured.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        secured.setSSLParameters(parameters);
        socket.setSoTimeout((int) Watch.PATIENCE.toMillis());
        secured.startHandshake();
        socket.setSoTimeout(0);
        if (!secured.getApplicationProtocol().equals("h2")) {
            throw new IOException(
                    "expected the server to select h2, found '%s'"
                            .formatted(secured.getApplicationProtocol()));
        }
        return secured;
    }

    String scheme() {
        return tls == null ? "http" : "https";
    }

    String authority() {
        return authority == null ? server.getHostString() + ":" + server.getPort() : authority;
    }

    long[] settings() {
        return settings.clone();
    }

    long setting(int id, long otherwise) {
        long value = otherwise;
        for (int i = 0; i < settings.length; i += 2) {
            value = settings[i] == id ? settings[i + 1] : value;
        }
        return value;
    }

    boolean grants() {
        return grants;
    }

    boolean acknowledges() {
        return acknowledges;
    }

    boolean isPatient() {
        return isPatient;
    }
}
