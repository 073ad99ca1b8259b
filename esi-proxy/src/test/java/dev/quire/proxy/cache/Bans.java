package dev.quire.proxy.cache;

import java.util.Optional;

/** Conditions of bans. */
public final class Bans {
    private Bans() {}

    public static BanCondition tag(String tag) {
        return new BanCondition(
                Optional.empty(),
                Optional.empty(),
                Optional.of(tag),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
