package dev.quire.test;

/**
 * What an application signs the variants of its readers with. The configuration of a proxy in front
 * of it says the same, as {@code variants}.
 *
 * @param cookie which one says it
 * @param secret 32 characters or more
 */
public record VariantSignature(String cookie, String secret) {

    /** What nobody else is to see is not shown. */
    @Override
    public String toString() {
        return "signature of " + cookie;
    }
}
