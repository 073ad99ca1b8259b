package dev.quire.core.rule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A rule of the request phase. Its actions apply in the order of the components.
 *
 * @param name in logs, metrics and cache keys
 * @param groups an expression whose groups templates may name, searched in the decoded path; or
 *     null
 * @param variables assigned for later rules and phases
 * @param fields changes of request fields
 * @param host the new authority; or null
 * @param origin the name of the origin that replaces the route's; or null
 * @param passes whether the cache is not used
 * @param key values added to the cache key
 * @param isUnkeyed whether the operator confirms that responses do not depend on what it changes
 * @param isLast whether no later rule of the phase is applied
 */
public record RequestRule(
        String name,
        Audience audience,
        Condition condition,
        @Nullable TextPattern groups,
        Map<String, TextTemplate> variables,
        FieldEdits fields,
        @Nullable CookieFilter cookies,
        @Nullable QueryEdit query,
        @Nullable PathEdit path,
        @Nullable TextTemplate host,
        @Nullable String origin,
        boolean passes,
        List<TextTemplate> key,
        boolean isUnkeyed,
        @Nullable EndingAction ending,
        boolean isLast) {

    public RequestRule {
        // Later variables may read earlier ones.
        variables = new LinkedHashMap<>(variables);
        key = List.copyOf(key);
    }

    /** Whether it applies if its condition or a template fails. */
    boolean refuses() {
        return passes || (ending != null && ending.refuses());
    }

    /**
     * Whether it only answers, refuses or limits requests: it does not change those that go on, and
     * says nothing about their responses.
     */
    boolean isGateAlone() {
        boolean isGate = ending != null && !(ending instanceof EndingAction.Login);
        boolean isMore =
                changesMoreThanTheUrl()
                        || query != null
                        || path != null
                        || host != null
                        || passes
                        || !key.isEmpty()
                        || !variables.isEmpty()
                        || isLast;
        return isGate && !isMore;
    }

    /** Whether it changes requests in ways that their URL does not show. */
    boolean changesMoreThanTheUrl() {
        return origin != null || cookies != null || !fields.isEmpty();
    }

    /** Whether it removes fields or cookies. */
    boolean removesFields() {
        return cookies != null || !fields.unset().isEmpty();
    }

    /**
     * Returns the values of clients by which it selects the response for a URL: by the key, the
     * URL, the origin, a field that the key does not show, or a response of its own. None if the
     * operator confirms that responses do not depend on them.
     *
     * @param keyedVariables variables that are part of every key
     * @param unkeyedFields names, in lower case, of the fields that the key does not show
     * @param changesByOthers whether it changes requests, or their key, also by values that only
     *     its condition reads
     */
    ClientInputs selecting(
            RuleReading reading,
            Set<String> keyedVariables,
            Set<String> unkeyedFields,
            boolean changesByOthers) {
        var read = new ArrayList<>(key);
        variables.forEach((name, value) -> {
            if (keyedVariables.contains(name)) {
                read.add(value);
            }
        });
        for (var line : fields.written()) {
            if (unkeyedFields.contains(line.name().toLowerCase(Locale.ROOT))) {
                read.add(line.value());
            }
        }
        var answer = endingForSome(reading);
        boolean selects =
                changesByOthers
                        || !read.isEmpty()
                        || query != null
                        || path != null
                        || host != null
                        || origin != null
                        || answer != null;
        if (isUnkeyed || !selects) {
            return ClientInputs.NONE;
        }
        if (path != null) {
            read.add(path.with());
        }
        if (host != null) {
            read.add(host);
        }
        if (answer != null) {
            read.addAll(answer.templates());
        }
        return reading.of(condition).plus(reading.of(read));
    }

    /**
     * Returns its response, if other clients get another one for the URL; or null. A deny counts
     * only for fragments, or if it depends on the URL: for all URLs it keeps clients away, such as
     * those of a list.
     */
    private @Nullable EndingAction endingForSome(RuleReading reading) {
        return switch (ending) {
            case EndingAction.Redirect redirect -> redirect;
            case EndingAction.Respond respond -> respond;
            case EndingAction.Deny deny ->
                    audience == Audience.FRAGMENT || reading.dependsOnUrl(condition) ? deny : null;
            case EndingAction.Login login -> login;
            case EndingAction.Limit limit -> null;
            case null -> null;
        };
    }

    /**
     * Returns the values of clients on which the fields of the request depend that it writes, by
     * their names in lower case.
     */
    Map<String, ClientInputs> writing(RuleReading reading) {
        var all = new HashMap<String, ClientInputs>();
        var applies = reading.of(condition);
        for (var line : fields.written()) {
            all.merge(
                    line.name().toLowerCase(Locale.ROOT),
                    applies.plus(reading.of(List.of(line.value()))),
                    ClientInputs::plus);
        }
        return all;
    }

    /**
     * Whether it removes lines of the field {@code name}, in lower case, or some of its cookies.
     */
    boolean removes(String name) {
        return fields.isUnset(name) || (cookies != null && name.equals("cookie"));
    }

    /** The templates that are evaluated whenever the rule applies. */
    List<TextTemplate> templates() {
        var templates = new ArrayList<>(variables.values());
        templates.addAll(key);
        fields.written().forEach(line -> templates.add(line.value()));
        if (path != null) {
            templates.add(path.with());
        }
        if (host != null) {
            templates.add(host);
        }
        return templates;
    }
}
