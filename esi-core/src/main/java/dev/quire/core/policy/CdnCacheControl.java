package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Set;
import org.greenbytes.http.sfv.BooleanItem;
import org.greenbytes.http.sfv.IntegerItem;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.ParseException;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;
import org.greenbytes.http.sfv.TokenItem;

/**
 * {@code CDN-Cache-Control}: the origin's directives for the shared caches in front of it (RFC 9213
 * §3.1). A dictionary of structured fields; unlike in {@code Cache-Control} one syntax error
 * invalidates all of it, and of duplicate keys the last counts.
 */
final class CdnCacheControl {
    private static final String FIELD = "CDN-Cache-Control";

    /** Directives whose argument is a list of fields. */
    private static final Set<String> QUALIFIABLE = Set.of("no-cache", "private");

    /** Directives that allow something: with a wrong type they are ignored. */
    private static final Set<String> PERMISSIONS = Set.of("public", "must-understand");

    private CdnCacheControl() {}

    /** Returns its directives; empty if it is absent, empty or malformed. */
    static Optional<CacheControl> of(Fields response) {
        var lines = response.all(FIELD);
        if (lines.isEmpty()) {
            return Optional.empty();
        }
        try {
            var directives = new ArrayList<Directive>();
            var members = new Parser(lines).parseDictionary().get();
            members.forEach((name, value) -> directive(name, value).ifPresent(directives::add));
            return members.isEmpty() ? Optional.empty() : Optional.of(CacheControl.of(directives));
        } catch (ParseException noDictionary) {
            return Optional.empty();
        }
    }

    private static Optional<Directive> directive(String name, ListElement<?> value) {
        if (value instanceof BooleanItem flag) {
            return Boolean.TRUE.equals(flag.get())
                    ? Optional.of(new Directive(name, Optional.empty()))
                    : Optional.empty();
        }
        return PERMISSIONS.contains(name)
                ? Optional.empty()
                : Optional.of(new Directive(name, Optional.of(argument(name, value))));
    }

    /** Returns the argument; empty if its type is wrong, and so neither time nor fields. */
    private static String argument(String name, ListElement<?> value) {
        return switch (value) {
            case IntegerItem number -> number.get().toString();
            case StringItem text when QUALIFIABLE.contains(name) -> text.get();
            case TokenItem text when QUALIFIABLE.contains(name) -> text.get();
            default -> "";
        };
    }
}
