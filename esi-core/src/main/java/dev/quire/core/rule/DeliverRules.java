package dev.quire.core.rule;

import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheControl;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the delivery, in order. Applied once to each final response to a client, also to
 * redirects, 304 and error pages; not to fragments, 1xx and 101. Immutable.
 */
public final class DeliverRules {
    public static final DeliverRules NONE = new DeliverRules(List.of(), "");

    /** The fields that they cannot change: framing, and what the cache and clients rely on. */
    public static final FieldNames CLOSED =
            FieldNames.of(
                    "age",
                    "cache-control",
                    "connection",
                    "content-encoding",
                    "content-length",
                    "content-range",
                    "date",
                    "etag",
                    "keep-alive",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade",
                    "vary");

    private final List<DeliverRule> rules;
    private final String source;

    /**
     * @param source their text: rules with the same text are equal
     */
    public DeliverRules(List<DeliverRule> rules, String source) {
        this.rules = List.copyOf(rules);
        this.source = source;
    }

    /** The names of the rules, in order. */
    public List<String> names() {
        return rules.stream().map(DeliverRule::name).toList();
    }

    public boolean isEmpty() {
        return rules.isEmpty();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DeliverRules that && source.equals(that.source);
    }

    @Override
    public int hashCode() {
        return source.hashCode();
    }

    /**
     * The fields after the rules.
     *
     * @param addsCookie whether a rule has added Set-Cookie: the response must be private
     * @param failed the names of the rules whose condition or template has failed
     */
    public record Result(
            Fields fields, boolean addsCookie, List<String> applied, List<String> failed) {}

    /**
     * Applies the rules to the head of a response.
     *
     * @param request the values of the request after its phase
     */
    public Result applied(ResponseHead head, RuleValues request, String outcome, long ageSeconds) {
        var fields = head.fields();
        boolean addsCookie = false;
        var applied = new ArrayList<String>(2);
        var failed = new ArrayList<String>(0);
        for (var rule : rules) {
            var values = new Values(request, head, fields, outcome, ageSeconds);
            try {
                if (!rule.condition().holds(values)) {
                    continue;
                }
                var changed = rule.fields().applied(fields, values, List.of());
                addsCookie |= rule.fields().writes("set-cookie");
                fields = changed;
                applied.add(rule.name());
                if (rule.isLast()) {
                    break;
                }
            } catch (RuleError error) {
                failed.add(rule.name());
            }
        }
        return new Result(fields, addsCookie, List.copyOf(applied), List.copyOf(failed));
    }

    /** Returns the fields of a response that no other client may reuse. */
    public static Fields ofOneClient(Fields fields) {
        return new Fields.Builder()
                .addAll(
                        fields.without(name ->
                                name.equalsIgnoreCase("Cache-Control")
                                        || name.equalsIgnoreCase("CDN-Cache-Control")
                                        || name.equalsIgnoreCase("Surrogate-Control")
                                        || name.equalsIgnoreCase("Expires")))
                .add(
                        "Cache-Control",
                        CacheControl.of(fields).noStore() ? "no-store" : "private, no-cache")
                .build();
    }

    private static final class Values extends OtherValues {
        private final ResponseHead head;
        private final Fields fields;
        private final String outcome;
        private final long ageSeconds;

        Values(
                RuleValues values,
                ResponseHead head,
                Fields fields,
                String outcome,
                long ageSeconds) {
            super(values);
            this.head = head;
            this.fields = fields;
            this.outcome = outcome;
            this.ageSeconds = ageSeconds;
        }

        @Override
        public int level() {
            return 0;
        }

        @Override
        public ResponseHead response() {
            return new ResponseHead(head.status(), head.reason(), fields);
        }

        @Override
        public String outcome() {
            return outcome;
        }

        @Override
        public long ageSeconds() {
            return ageSeconds;
        }
    }
}
