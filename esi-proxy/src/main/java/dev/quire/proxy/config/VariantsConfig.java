package dev.quire.proxy.config;

import dev.quire.core.policy.SignedVariant;
import dev.quire.proxy.route.ReaderVariants;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The {@code variants} section.
 *
 * @param key of the signed variant cookie; absent if all readers get the same variant
 */
public record VariantsConfig(Optional<SignedVariant.Key> key) {

    static final String COOKIE = "esi-variant";

    static final VariantsConfig DEFAULTS = new VariantsConfig(Optional.empty());

    /**
     * Adds the variant of its reader to each request.
     *
     * @param wall the time of day
     */
    public ReaderVariants ofReaders(Supplier<Instant> wall) {
        return key.map(it -> ReaderVariants.of(it, wall)).orElse(ReaderVariants.NONE);
    }
}
