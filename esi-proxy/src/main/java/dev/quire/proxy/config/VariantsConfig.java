package dev.quire.proxy.config;

import dev.quire.core.policy.SignedVariant;
import java.util.Optional;

/**
 * Which variants of responses readers get: what the application has signed into a cookie.
 *
 * @param key of that cookie; nothing if all readers get the same
 */
public record VariantsConfig(Optional<SignedVariant.Key> key) {

    /** What the cookie is called where nothing is said. */
    static final String COOKIE = "esi-variant";

    static final VariantsConfig DEFAULTS = new VariantsConfig(Optional.empty());
}
