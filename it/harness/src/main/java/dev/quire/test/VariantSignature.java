package dev.quire.test;

/**
 * The signature of an application's reader variants. A proxy in front of it has the same
 * configuration, as {@code variants}.
 *
 * @param cookie the name of the variant cookie
 * @param secret 32 characters or more
 */
public record VariantSignature(String cookie, String secret) {

    /** Omits the secret. */
    @Override
    public String toString() {
        return "signature of " + cookie;
    }
}
