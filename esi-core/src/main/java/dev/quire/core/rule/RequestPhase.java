package dev.quire.core.rule;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.UriPath;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.OtherHostFields;
import dev.quire.core.policy.RequestFields;
import dev.quire.core.text.Literal;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The request phase of one request: applies the rules in order, each of which sees the changes of
 * earlier ones. Confined to one thread.
 */
public final class RequestPhase implements RuleValues {

    /**
     * The request and its client.
     *
     * @param client returns the address; called on first use
     * @param level 0 for a page
     * @param now returns the time of day
     */
    public record Subject(
            RequestHead request,
            Supplier<InetAddress> client,
            boolean isTrusted,
            int level,
            String protocol,
            Supplier<Instant> now) {}

    private final RequestRules rules;
    private final Subject subject;
    private int next;
    private RequestHead request;

    /** {@link RuledRequest#toOtherHosts}. */
    private @Nullable Fields toOtherHosts;

    private @Nullable String decodedPath;
    private @Nullable String simplifiedPath;
    private boolean passes;
    private boolean isProtected;
    private ClientInputs inputs = ClientInputs.NONE;
    private @Nullable String origin;

    // Most requests match no rule that needs one of these.
    private @Nullable Map<String, String> variables;
    private @Nullable List<CacheKey.Part> parts;
    private @Nullable Set<String> unkeyedFields;
    private @Nullable List<String> applied;
    private @Nullable List<String> failed;
    private @Nullable List<Ending.Check> checksOfMisses;

    RequestPhase(RequestRules rules, Subject subject) {
        this.rules = rules;
        this.subject = subject;
        this.request = subject.request();
    }

    /**
     * Applies rules until one of them ends or interrupts the phase. After a {@link Ending.Check} or
     * {@link Ending.Login} that admits the request, it is called again.
     *
     * @return null once all rules have been applied
     */
    public @Nullable Ending run() {
        var list = rules.prepared();
        while (next < list.size()) {
            var prepared = list.get(next++);
            var ending = apply(prepared);
            if (ending instanceof Ending.Check check && check.limit().onlyMisses()) {
                checksOfMisses = added(checksOfMisses, check);
                ending = null;
            }
            if (ending != null) {
                return ending;
            }
        }
        return null;
    }

    private @Nullable Ending apply(PreparedRule prepared) {
        var rule = prepared.rule();
        if (!rule.audience().includes(subject.level())) {
            return null;
        }
        noteInputs(prepared);
        try {
            if (!rule.condition().holds(this)) {
                return null;
            }
            noteSkipping(prepared);
            return changed(prepared);
        } catch (RuleError error) {
            failed = added(failed, rule.name());
            return rule.refuses() ? refused(rule) : null;
        }
    }

    /** Other requests for the URL may get another response, if the rule applies to it. */
    private void noteInputs(PreparedRule prepared) {
        if (prepared.selecting().isEmpty()) {
            return;
        }
        if (mayApply(prepared)) {
            inputs = inputs.plus(prepared.selecting());
        }
    }

    /** Without {@code prepared} a later rule may select another response for the URL. */
    private void noteSkipping(PreparedRule prepared) {
        if (prepared.skipping().isEmpty()) {
            return;
        }
        var list = rules.prepared();
        for (var later : list.subList(next, list.size())) {
            if (!later.selecting().isEmpty()
                    && later.rule().audience().includes(subject.level())
                    && mayApply(later)) {
                inputs = inputs.plus(prepared.skipping());
                return;
            }
        }
    }

    private boolean mayApply(PreparedRule prepared) {
        try {
            return prepared.ofUrl().holds(this);
        } catch (RuleError unknown) {
            return true;
        }
    }

    /** The values of clients by which the rules applied so far select the response for the URL. */
    public ClientInputs inputs() {
        return inputs;
    }

    /** Whether a rule has asked the client for credentials. */
    public boolean isProtected() {
        return isProtected;
    }

    /** Applies all actions, or none if one of them fails. */
    private @Nullable Ending changed(PreparedRule prepared) {
        var rule = prepared.rule();
        var pattern = rule.groups();
        List<@Nullable String> found =
                pattern == null ? null : pattern.groups(pattern.pathOf(this));
        List<@Nullable String> groups = found == null ? List.of() : found;
        var before = request;
        var toOtherHostsBefore = toOtherHosts;
        var variablesBefore = variables;
        try {
            rule.variables().forEach((name, value) -> assign(name, value.text(this, groups)));
            var ending =
                    rule.ending() == null ? null : rule.ending().ending(rule.name(), this, groups);
            var values = new ArrayList<CacheKey.Part>(rule.key().size());
            for (var value : rule.key()) {
                values.add(new CacheKey.Part(rule.name(), value.text(this, groups)));
            }
            if (prepared.isMarked()) {
                values.add(new CacheKey.Part(rule.name(), rule.name()));
            }
            for (var value : prepared.added()) {
                values.add(new CacheKey.Part(rule.name(), value.text(this, groups)));
            }
            // Before the edits: the rule itself may set credentials for the origin.
            removeCredentials(rule);
            var unedited = request;
            request = edited(rule, groups);
            decided(prepared, unedited, values);
            if (rule.isLast()) {
                next = rules.prepared().size();
            }
            return ending;
        } catch (RuleError error) {
            request = before;
            toOtherHosts = toOtherHostsBefore;
            variables = variablesBefore;
            throw error;
        }
    }

    private void decided(PreparedRule prepared, RequestHead before, List<CacheKey.Part> values) {
        var rule = prepared.rule();
        if (!request.target().equals(before.target())) {
            decodedPath = null;
            simplifiedPath = null;
        }
        for (var value : values) {
            parts = added(parts, value);
        }
        for (var name : prepared.unkeyedFields()) {
            unkeyed(name);
        }
        if (prepared.removesUnkeyed()) {
            before.fields()
                    .forEach((name, value) -> {
                        if (!request.fields().all(name).contains(value)) {
                            unkeyed(name.toLowerCase(Locale.ROOT));
                        }
                    });
        }
        if (rule.origin() != null) {
            origin = rule.origin();
        }
        passes |= rule.passes() || prepared.choosesUnkeyed();
        if (rule.ending() instanceof EndingAction.Login) {
            isProtected = true;
        }
        applied = added(applied, rule.name());
    }

    /** Applies the refusing actions of {@code rule} alone. */
    private @Nullable Ending refused(RequestRule rule) {
        passes |= rule.passes();
        applied = added(applied, rule.name());
        var ending = rule.ending();
        if (ending == null || !ending.refuses()) {
            return null;
        }
        removeCredentials(rule);
        isProtected |= ending instanceof EndingAction.Login;
        return ending.ending(rule.name(), this, List.of());
    }

    /** Unchanged fields are the same object. */
    @SuppressWarnings("ReferenceEquality")
    private RequestHead edited(RequestRule rule, List<@Nullable String> groups) {
        var fields = edited(rule, request.fields(), groups);
        if (fields != request.fields() && subject.level() > 0 && rules.editsByHost()) {
            toOtherHosts = toOtherHosts(rule, groups);
        }
        var target = request.target();
        if (rule.query() != null) {
            target = rule.query().applied(target);
        }
        if (rule.path() != null) {
            target = rule.path().applied(target, this, groups);
        }
        var authority = rule.host() == null ? request.authority() : host(rule.host(), groups);
        if (toOtherHosts != null && !authority.equals(request.authority())) {
            // The other fields are for the host that rules have named.
            toOtherHosts = OtherHostFields.remaining(toOtherHosts);
        }
        boolean isSame =
                fields == request.fields()
                        && target.equals(request.target())
                        && authority.equals(request.authority());
        return isSame
                ? request
                : new RequestHead(request.method(), request.scheme(), authority, target, fields);
    }

    private Fields edited(RequestRule rule, Fields fields, List<@Nullable String> groups) {
        var edited = rule.fields().applied(fields, this, groups);
        return rule.cookies() == null ? edited : rule.cookies().applied(edited);
    }

    private Fields toOtherHosts(RequestRule rule, List<@Nullable String> groups) {
        var edited =
                edited(
                        rule,
                        toOtherHosts == null
                                ? OtherHostFields.remaining(request.fields())
                                : toOtherHosts,
                        groups);
        return rule.condition().namesHosts()
                ? edited
                : edited.without(name ->
                        rule.fields().writes(name) && !RequestFields.goesToOtherHosts(name));
    }

    private String host(TextTemplate template, List<@Nullable String> groups) {
        var host = template.text(this, groups);
        if (!isHost(host)) {
            throw new RuleError("the changed host is not a host");
        }
        return CacheKey.authority(host, request.scheme());
    }

    /** Whether {@code text} is a name or address, and optionally a port. */
    private static boolean isHost(String text) {
        var name = HostPattern.withoutPort(text);
        var port = text.substring(name.length());
        boolean isPort = port.isEmpty() || port.matches(":[1-9][0-9]{0,4}");
        boolean isLiteral = name.startsWith("[") && name.endsWith("]");
        return isPort
                && (isLiteral
                        ? Literal.address(name.substring(1, name.length() - 1)).isPresent()
                        : Literal.isHost(name));
    }

    /** Removes the client's credentials if {@code rule} checks them and does not forward them. */
    private void removeCredentials(RequestRule rule) {
        if (rule.ending() instanceof EndingAction.Login(var credentials)
                && !credentials.forwards()
                && request.fields().contains("Authorization")) {
            request =
                    new RequestHead(
                            request.method(),
                            request.scheme(),
                            request.authority(),
                            request.target(),
                            withoutCredentials(request.fields()));
            if (toOtherHosts != null) {
                toOtherHosts = withoutCredentials(toOtherHosts);
            }
        }
    }

    private static Fields withoutCredentials(Fields fields) {
        return fields.without("Authorization"::equalsIgnoreCase);
    }

    private void assign(String name, String value) {
        var assigned = new HashMap<String, String>();
        if (variables != null) {
            assigned.putAll(variables);
        }
        assigned.put(name, value);
        variables = assigned;
    }

    private void unkeyed(String name) {
        if (unkeyedFields == null) {
            unkeyedFields = new LinkedHashSet<>();
        }
        unkeyedFields.add(name);
    }

    private static <T> List<T> added(@Nullable List<T> list, T value) {
        var all = list == null ? new ArrayList<T>(2) : list;
        all.add(value);
        return all;
    }

    /** Returns the changed request; called once {@link #run} has returned null. */
    public RuledRequest result() {
        var keyed = parts;
        for (var name : rules.keyedVariables()) {
            var value = variable(name);
            if (value != null) {
                keyed = added(keyed, new CacheKey.Part("var." + name, value));
            }
        }
        return new RuledRequest(
                subject.request(),
                request,
                toOtherHosts,
                keyed == null ? List.of() : List.copyOf(keyed),
                origin,
                passes,
                isProtected,
                unkeyedFields == null ? List.of() : List.copyOf(unkeyedFields),
                variables == null ? Map.of() : Map.copyOf(variables),
                checksOfMisses == null ? MissChecks.NONE : new MissChecks(checksOfMisses));
    }

    /** The names of the rules applied so far, in order. */
    public List<String> applied() {
        return applied == null ? List.of() : List.copyOf(applied);
    }

    /** The names of the rules whose condition or template has failed. */
    public List<String> failed() {
        return failed == null ? List.of() : List.copyOf(failed);
    }

    @Override
    public RequestHead request() {
        return request;
    }

    @Override
    public String path() {
        if (decodedPath == null) {
            decodedPath = UriPath.decoded(CacheKey.path(request.target()));
        }
        return decodedPath;
    }

    @Override
    public String simplifiedPath() {
        if (simplifiedPath == null) {
            simplifiedPath = UriPath.simplified(path());
        }
        return simplifiedPath;
    }

    @Override
    public InetAddress client() {
        return subject.client().get();
    }

    @Override
    public boolean isTrusted() {
        return subject.isTrusted();
    }

    @Override
    public int level() {
        return subject.level();
    }

    @Override
    public String protocol() {
        return subject.protocol();
    }

    @Override
    public Instant now() {
        return subject.now().get();
    }

    @Override
    public @Nullable String variable(String name) {
        return variables == null ? null : variables.get(name);
    }

    @Override
    public @Nullable ResponseHead response() {
        return null;
    }
}
