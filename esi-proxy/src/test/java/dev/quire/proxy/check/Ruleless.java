package dev.quire.proxy.check;

import dev.quire.core.rule.Rules;
import dev.quire.proxy.config.Configuration;

/** Configurations whose rules are left out: what tests expect of rules must then fail. */
public final class Ruleless {
    private Ruleless() {}

    /** Returns {@code given} without its rules. */
    public static Configuration of(Configuration given) {
        return new Configuration(
                given.listen(),
                given.admin(),
                given.trust(),
                given.origins(),
                given.routes(),
                given.cache(),
                given.esi(),
                given.variants(),
                given.log(),
                given.deliver(),
                given.drain(),
                given.limits(),
                given.invalidation(),
                given.errorPages(),
                Rules.NONE);
    }
}
