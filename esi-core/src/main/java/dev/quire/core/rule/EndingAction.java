package dev.quire.core.rule;

import dev.quire.core.http.Fields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The action of a rule that may end the request phase. */
public sealed interface EndingAction {

    /** Whether it refuses requests: its rule then applies even if its condition fails. */
    default boolean refuses() {
        return false;
    }

    /** The texts for the client, or for the counter of a limit. */
    default List<TextTemplate> templates() {
        return List.of();
    }

    /**
     * Returns the ending of {@code rule} for {@code values}.
     *
     * @throws RuleError if a template has no value
     */
    Ending ending(String rule, RuleValues values, List<@Nullable String> groups);

    /**
     * Redirects the client.
     *
     * @param to a URL or an absolute path
     * @param status 301, 302, 303, 307 or 308
     */
    record Redirect(TextTemplate to, int status) implements EndingAction {
        @Override
        public Ending ending(String rule, RuleValues values, List<@Nullable String> groups) {
            var location = to.text(values, groups);
            if (location.chars().anyMatch(c -> c <= ' ' || c >= 0x7f)) {
                throw new RuleError("the location is not a URL");
            }
            if (namesAnotherHost(location) && !namesAnotherHost(to.toString())) {
                throw new RuleError("the location begins with // or /\\ and names another host");
            }
            return new Ending.Redirect(rule, status, location);
        }

        private static boolean namesAnotherHost(String location) {
            return location.startsWith("//") || location.startsWith("/\\");
        }

        @Override
        public List<TextTemplate> templates() {
            return List.of(to);
        }
    }

    record Respond(FixedAnswer answer, FieldEdits fields) implements EndingAction {
        @Override
        public Ending ending(String rule, RuleValues values, List<@Nullable String> groups) {
            return new Ending.Respond(rule, answer, fields.applied(Fields.EMPTY, values, groups));
        }

        @Override
        public List<TextTemplate> templates() {
            return fields.written().stream().map(FieldEdits.Line::value).toList();
        }
    }

    record Deny(int status) implements EndingAction {
        @Override
        public Ending ending(String rule, RuleValues values, List<@Nullable String> groups) {
            return new Ending.Deny(rule, status);
        }

        @Override
        public boolean refuses() {
            return true;
        }
    }

    record Limit(RateLimit limit) implements EndingAction {
        @Override
        public Ending ending(String rule, RuleValues values, List<@Nullable String> groups) {
            return new Ending.Check(rule, limit, limit.bucket(values, groups));
        }

        @Override
        public List<TextTemplate> templates() {
            return List.of(limit.by());
        }
    }

    record Login(Credentials credentials) implements EndingAction {
        @Override
        public Ending ending(String rule, RuleValues values, List<@Nullable String> groups) {
            return new Ending.Login(rule, credentials);
        }

        @Override
        public boolean refuses() {
            return true;
        }
    }
}
