package dev.quire.core.rule;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** The user name and password of a request (RFC 7617). The password is never shown. */
public final class BasicLogin {
    private static final String SCHEME = "basic ";

    private final String user;
    private final byte[] password;

    private BasicLogin(String user, byte[] password) {
        this.user = user;
        this.password = password;
    }

    /**
     * Reads the Authorization lines of a request. Nothing if there is not exactly one, or it does
     * not contain a name and a password in the basic scheme: different recipients might read
     * several lines differently.
     */
    public static Optional<BasicLogin> of(List<String> lines) {
        if (lines.size() != 1) {
            return Optional.empty();
        }
        var line = lines.getFirst();
        if (!line.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return Optional.empty();
        }
        byte[] pair;
        try {
            pair = Base64.getDecoder().decode(line.substring(SCHEME.length()).strip());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        for (int i = 0; i < pair.length; i++) {
            if (pair[i] == ':') {
                return Optional.of(
                        new BasicLogin(
                                new String(pair, 0, i, StandardCharsets.UTF_8),
                                Arrays.copyOfRange(pair, i + 1, pair.length)));
            }
        }
        return Optional.empty();
    }

    public String user() {
        return user;
    }

    /** Returns a copy of the bytes of the password. */
    public byte[] password() {
        return password.clone();
    }
}
