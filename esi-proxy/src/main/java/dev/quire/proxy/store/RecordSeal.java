package dev.quire.proxy.store;

import io.netty.buffer.ByteBuf;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Signs records together with their keys (HMAC-SHA-256, RFC 2104, cut to 128 bits), so that others
 * who write to the store cannot forge or exchange them. Confined to one thread.
 */
public final class RecordSeal {
    private static final String ALGORITHM = "HmacSHA256";
    private static final byte[] NONE = {};

    /** The length of a seal. */
    public static final int BYTES = 16;

    private final @Nullable Mac mac;

    /**
     * @param secret empty if records are not signed
     */
    public RecordSeal(Optional<byte[]> secret) {
        this.mac = secret.map(RecordSeal::mac).orElse(null);
    }

    private static Mac mac(byte[] secret) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }

    /** The length of each seal. */
    public int bytes() {
        return mac == null ? 0 : BYTES;
    }

    /** Returns the seal of {@code record} at {@code key}; empty without a secret. */
    public byte[] of(byte[] key, ByteBuf record) {
        if (mac == null) {
            return NONE;
        }
        mac.update(key);
        for (var part : record.nioBuffers()) {
            mac.update(part);
        }
        return Arrays.copyOf(mac.doFinal(), BYTES);
    }

    /** Removes the seal from the end of {@code value}. Returns whether it is the right one. */
    public boolean isRemovedFrom(byte[] key, ByteBuf value) {
        if (mac == null) {
            return true;
        }
        int length = value.readableBytes() - BYTES;
        if (length < 0) {
            return false;
        }
        var seal = new byte[BYTES];
        value.getBytes(value.readerIndex() + length, seal);
        value.writerIndex(value.readerIndex() + length);
        return MessageDigest.isEqual(seal, of(key, value));
    }
}
