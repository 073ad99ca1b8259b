package dev.quire.proxy.tls;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads the application protocols that a ClientHello offers (RFC 7301 §3.1). */
final class ClientHello {
    private static final int VERSION_AND_RANDOM = 34;
    private static final int ALPN = 16;

    private ClientHello() {}

    /** Returns the protocols; empty without the extension, or if the message is malformed. */
    static List<String> protocols(ByteBuf hello) {
        try {
            return offered(hello.slice());
        } catch (IndexOutOfBoundsException malformed) {
            // The TLS library refuses it.
            return List.of();
        }
    }

    private static List<String> offered(ByteBuf in) {
        in.skipBytes(VERSION_AND_RANDOM);
        in.skipBytes(in.readUnsignedByte());
        in.skipBytes(in.readUnsignedShort());
        in.skipBytes(in.readUnsignedByte());
        if (!in.isReadable()) {
            return List.of();
        }
        var extensions = in.readSlice(in.readUnsignedShort());
        while (extensions.isReadable()) {
            int type = extensions.readUnsignedShort();
            var extension = extensions.readSlice(extensions.readUnsignedShort());
            if (type == ALPN) {
                return names(extension.readSlice(extension.readUnsignedShort()));
            }
        }
        return List.of();
    }

    private static List<String> names(ByteBuf list) {
        var names = new ArrayList<String>();
        while (list.isReadable()) {
            var name = list.readSlice(list.readUnsignedByte());
            names.add(name.toString(StandardCharsets.US_ASCII));
        }
        return names;
    }
}
