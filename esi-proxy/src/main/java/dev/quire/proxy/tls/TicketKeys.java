package dev.quire.proxy.tls;

import dev.quire.proxy.exchange.PlainWords;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The keys of session tickets (RFC 5077): the first encrypts new ones, the others only decrypt.
 *
 * @param secrets each of {@value #BYTES} bytes
 */
record TicketKeys(List<byte[]> secrets) {
    static final int BYTES = OpenSslSessionTicketKey.TICKET_KEY_SIZE;

    /** A key is used for new tickets, then for one more period to decrypt them. */
    private static final int MAX_RANDOM = 2;

    private static final int MAX_IN_FILE = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    TicketKeys {
        secrets = List.copyOf(secrets);
    }

    /** Returns one new key. */
    static TicketKeys random() {
        return new TicketKeys(List.of(secret()));
    }

    /** Reads keys of {@value #BYTES} bytes each, one after another. Blocks. */
    static TicketKeys read(Path file) throws UnusableFile {
        byte[] bytes;
        try {
            bytes = SmallFile.read(file, MAX_IN_FILE * BYTES + 1);
        } catch (IOException e) {
            throw new UnusableFile(file, "cannot be read: " + PlainWords.of(e), "a readable file");
        }
        if (bytes.length == 0 || bytes.length % BYTES != 0) {
            throw new UnusableFile(
                    file,
                    "has " + bytes.length + " bytes",
                    "1 to " + MAX_IN_FILE + " keys of " + BYTES + " random bytes each");
        }
        var secrets = new ArrayList<byte[]>();
        for (int i = 0; i < bytes.length; i += BYTES) {
            secrets.add(Arrays.copyOfRange(bytes, i, i + BYTES));
        }
        return new TicketKeys(secrets);
    }

    /** Returns these keys behind a new one, without the oldest. */
    TicketKeys rotated() {
        var all = new ArrayList<byte[]>();
        all.add(secret());
        all.addAll(secrets.subList(0, Math.min(secrets.size(), MAX_RANDOM - 1)));
        return new TicketKeys(all);
    }

    /** Uses these keys in {@code context}; the JDK's TLS has its own. */
    void use(SslContext context) {
        if (context.sessionContext() instanceof OpenSslSessionContext sessions) {
            sessions.setTicketKeys(
                    secrets.stream().map(TicketKeys::key).toArray(OpenSslSessionTicketKey[]::new));
        }
    }

    /** Whether both are the same keys. */
    boolean isSame(TicketKeys other) {
        if (secrets.size() != other.secrets.size()) {
            return false;
        }
        for (int i = 0; i < secrets.size(); i++) {
            if (!Arrays.equals(secrets.get(i), other.secrets.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static OpenSslSessionTicketKey key(byte[] secret) {
        return new OpenSslSessionTicketKey(
                Arrays.copyOfRange(secret, 0, 16),
                Arrays.copyOfRange(secret, 16, 32),
                Arrays.copyOfRange(secret, 32, BYTES));
    }

    private static byte[] secret() {
        var secret = new byte[BYTES];
        RANDOM.nextBytes(secret);
        return secret;
    }

    @Override
    public String toString() {
        return secrets.size() + " keys";
    }
}
