package dev.quire.core.rule;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.OtherHostFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request after the request phase.
 *
 * @param asked the request before the rules
 * @param head with changed authority, target and fields; the same object if no rule changed it
 * @param toOtherHosts {@link OtherHostFields#remaining} with the same changes, but lines that other
 *     hosts are not sent only by rules that name the host; null if none of the rules does
 * @param parts the values that rules add to the cache key
 * @param origin the name of the origin that replaces the route's; or null
 * @param passes whether the cache is not used
 * @param isProtected whether a rule asked the client for credentials: others must not reuse the
 *     client's copy
 * @param unkeyedFields names, in lower case, of fields that rules changed by values that the key
 *     does not contain; a response is stored and reused only if its {@code Vary} names them
 * @param variables for later phases
 * @param checks limits that count only if the request starts or joins a fetch
 */
public record RuledRequest(
        RequestHead asked,
        RequestHead head,
        @Nullable Fields toOtherHosts,
        List<CacheKey.Part> parts,
        @Nullable String origin,
        boolean passes,
        boolean isProtected,
        List<String> unkeyedFields,
        Map<String, String> variables,
        MissChecks checks) {

    /** No rule has such a name. */
    private static final CacheKey.Part OF_OTHER_HOST = new CacheKey.Part("another host", "");

    /** Returns the result without rules. */
    public static RuledRequest unchanged(RequestHead head) {
        return new RuledRequest(
                head,
                head,
                null,
                List.of(),
                null,
                false,
                false,
                List.of(),
                Map.of(),
                MissChecks.NONE);
    }

    /** Returns the fields for {@code fragment}, which has another host than its page. */
    public Fields fieldsFor(CacheKey fragment) {
        return new OtherHostFields(head.fields(), toOtherHosts, fragment);
    }

    /** Returns the URL before the rules, where {@code key} is the one after them. */
    @SuppressWarnings("ReferenceEquality") // an unchanged head is the same object
    public CacheKey asked(CacheKey key) {
        return asked == head ? key : CacheKey.of(asked);
    }

    /**
     * Returns the key for {@code fragment}, which has another host than its page: one of its own if
     * rules changed fields or the key, since the changes may depend on fields that it is not sent.
     */
    @SuppressWarnings("ReferenceEquality") // unchanged fields are the same object
    public CacheKey keyFor(CacheKey fragment) {
        if (parts.isEmpty() && head.fields() == asked.fields()) {
            return fragment;
        }
        var all = new ArrayList<>(parts);
        all.add(OF_OTHER_HOST);
        return fragment.ofUrl().with(all);
    }

    /** The cache key of the request. */
    public CacheKey key() {
        return CacheKey.of(head).with(parts);
    }
}
