package dev.quire.proxy.config;

import dev.quire.core.policy.SignedVariant;
import java.util.Optional;

/**
 * The {@code variants} section.
 *
 * @param key of the signed variant cookie; absent if all readers get the same variant
 */
public record VariantsConfig(Optional<SignedVariant.Key> key) {

    static final String COOKIE = "esi-variant";

    static final VariantsConfig DEFAULTS = new VariantsConfig(Optional.empty());
}
