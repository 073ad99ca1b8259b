package dev.quire.core.rule;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.UriPath;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.OperatorLifetime;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The response rules for the responses of one URL: they read no value of the client, so that all
 * requests with the same key get the same result. Immutable.
 *
 * @param key the URL; its parts contain the variables
 * @param variables of the request
 */
public record ResponsePhase(ResponseRules rules, CacheKey key, Map<String, String> variables) {

    /**
     * The response after the rules.
     *
     * @param head with changed fields
     * @param lifetime set by the last rule that sets one
     * @param namesStatus whether that rule names the status, so that its lifetime applies to it
     * @param tags to add
     * @param fails whether it counts as a failure of the origin
     * @param applied the names of the rules, in order
     * @param failed the names of the rules whose condition or template has failed
     */
    public record Result(
            ResponseHead head,
            Optional<Duration> lifetime,
            boolean namesStatus,
            Optional<Duration> grace,
            Optional<Duration> staleIfError,
            boolean isUnstored,
            List<String> tags,
            Optional<Boolean> processesEsi,
            boolean fails,
            List<String> applied,
            List<String> failed) {

        /** Returns the lifetimes of these rules, and of {@code route} where they set none. */
        public OperatorLifetime over(OperatorLifetime route) {
            return new OperatorLifetime(
                    lifetime.or(route::lifetime),
                    grace.or(route::grace),
                    staleIfError.or(route::staleIfError),
                    route.unsaidLifetime(),
                    lifetime.isPresent() && namesStatus,
                    isUnstored);
        }
    }

    public ResponsePhase {
        variables = Map.copyOf(variables);
    }

    /**
     * Applies the rules to {@code received}: a response, or a stored one that a 304 has updated.
     */
    public Result applied(ResponseHead received, Instant now) {
        var state = new State(received, now);
        for (var rule : rules.rules()) {
            if (state.apply(rule)) {
                break;
            }
        }
        return state.result();
    }

    private final class State implements RuleValues {
        private final ResponseHead received;
        private final Instant now;
        private final RequestHead request =
                new RequestHead("GET", key.scheme(), key.authority(), key.target(), Fields.EMPTY);
        private final String decodedPath = UriPath.decoded(key.path());
        private final String simplifiedPath = UriPath.simplified(decodedPath);
        private final List<String> applied = new ArrayList<>(2);
        private final List<String> failed = new ArrayList<>(0);
        private final LinkedHashSet<String> tags = new LinkedHashSet<>();
        private Fields fields;
        private Optional<Duration> lifetime = Optional.empty();
        private boolean namesStatus;
        private Optional<Duration> grace = Optional.empty();
        private Optional<Duration> staleIfError = Optional.empty();
        private Optional<Boolean> processesEsi = Optional.empty();
        private boolean isUnstored;
        private boolean fails;

        State(ResponseHead received, Instant now) {
            this.received = received;
            this.now = now;
            this.fields = received.fields();
        }

        /** Returns whether no later rule is applied. */
        boolean apply(ResponseRule rule) {
            try {
                if (!rule.condition().holds(this)) {
                    return false;
                }
                change(rule);
                return rule.isLast();
            } catch (RuleError error) {
                failed.add(rule.name());
                return false;
            }
        }

        private void change(ResponseRule rule) {
            var changed = rule.fields().applied(fields, this, List.of());
            var added = new ArrayList<String>(rule.tags().size());
            for (var tag : rule.tags()) {
                added.add(tag.text(this, List.of()));
            }
            fields =
                    rule.dropsCookies()
                            ? changed.without(name ->
                                    name.equalsIgnoreCase("Set-Cookie")
                                            || name.equalsIgnoreCase("Set-Cookie2"))
                            : changed;
            tags.addAll(added);
            if (!added.isEmpty()) {
                fields =
                        new Fields.Builder()
                                .addAll(fields)
                                .add("Surrogate-Key", String.join(" ", added))
                                .build();
            }
            if (rule.lifetime().isPresent()) {
                lifetime = rule.lifetime();
                namesStatus = rule.namesStatus(received.status());
            }
            grace = rule.grace().or(() -> grace);
            staleIfError = rule.staleIfError().or(() -> staleIfError);
            processesEsi = rule.processesEsi().or(() -> processesEsi);
            isUnstored |= rule.isUnstored();
            fails |= rule.fails();
            applied.add(rule.name());
        }

        @SuppressWarnings("ReferenceEquality")
        Result result() {
            return new Result(
                    fields == received.fields()
                            ? received
                            : new ResponseHead(received.status(), received.reason(), fields),
                    lifetime,
                    namesStatus,
                    grace,
                    staleIfError,
                    isUnstored,
                    List.copyOf(tags),
                    processesEsi,
                    fails,
                    List.copyOf(applied),
                    List.copyOf(failed));
        }

        @Override
        public RequestHead request() {
            return request;
        }

        @Override
        public String path() {
            return decodedPath;
        }

        @Override
        public String simplifiedPath() {
            return simplifiedPath;
        }

        @Override
        public InetAddress client() {
            throw unreadable();
        }

        @Override
        public boolean isTrusted() {
            throw unreadable();
        }

        @Override
        public int level() {
            throw unreadable();
        }

        @Override
        public String protocol() {
            throw unreadable();
        }

        private static IllegalStateException unreadable() {
            return new IllegalStateException("a response rule reads a value of the client");
        }

        @Override
        public Instant now() {
            return now;
        }

        @Override
        public @Nullable String variable(String name) {
            return variables.get(name);
        }

        @Override
        public ResponseHead response() {
            return new ResponseHead(received.status(), received.reason(), fields);
        }
    }
}
