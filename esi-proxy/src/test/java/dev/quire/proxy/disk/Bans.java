package dev.quire.proxy.disk;

import dev.quire.proxy.cache.BanCondition;
import java.util.Optional;

/** Conditions of bans. */
final class Bans {
    private Bans() {}

    static BanCondition tag(String tag) {
        return new BanCondition(
                Optional.empty(),
                Optional.empty(),
                Optional.of(tag),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
