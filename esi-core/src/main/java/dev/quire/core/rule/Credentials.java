package dev.quire.core.rule;

import java.util.Map;

/**
 * Users and their passwords, for basic authentication (RFC 7617).
 *
 * @param realm shown by clients; printable ASCII
 * @param forwards whether the origin gets the credentials
 * @param hashes the hash of each user's password
 */
public record Credentials(String realm, boolean forwards, Map<String, PasswordHash> hashes) {

    public Credentials {
        if (realm.chars().anyMatch(c -> c < ' ' || c > '~')) {
            throw new IllegalArgumentException("the realm is not printable ASCII: " + realm);
        }
        hashes = Map.copyOf(hashes);
    }

    /** Whether a user is called {@code name}. */
    public boolean isKnown(String name) {
        return hashes.containsKey(name);
    }

    /**
     * Returns the hash against which a password of {@code name} is checked: for an unknown user one
     * whose check takes as long as the longest of the others.
     */
    public PasswordHash hashOf(String name) {
        var known = hashes.get(name);
        return known != null
                ? known
                : PasswordHash.standIn(
                        hashes.values().stream().mapToInt(PasswordHash::cost).max().orElse(10));
    }

    /** Without hashes. */
    @Override
    public String toString() {
        return "Credentials[" + realm + ", " + hashes.size() + " users]";
    }
}
