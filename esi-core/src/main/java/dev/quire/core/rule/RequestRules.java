package dev.quire.core.rule;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the request phase, in order, with what they mean for the cache: which changes of a
 * request the key does not show. Immutable.
 */
public final class RequestRules {
    public static final RequestRules NONE = new RequestRules(List.of(), Set.of(), List.of());

    private final List<PreparedRule> rules;
    private final RuleReading reading = new RuleReading();
    private final boolean varies;
    private final boolean asksForLogin;
    private final boolean editsByHost;
    private final Set<String> keyedVariables;
    private final List<String> sources;

    /**
     * @param keyedVariables variables that are part of every key, since response rules read them
     * @param sources the text of each: rules with the same texts are equal if the files that they
     *     name have the same content
     */
    public RequestRules(List<RequestRule> rules, Set<String> keyedVariables, List<String> sources) {
        if (sources.size() != rules.size()) {
            throw new IllegalArgumentException(
                    "each rule must have a text: " + rules.size() + ", " + sources.size());
        }
        this.sources = List.copyOf(sources);
        this.rules = KeyAnalysis.of(rules, keyedVariables, reading);
        this.asksForLogin =
                rules.stream().anyMatch(rule -> rule.ending() instanceof EndingAction.Login);
        this.editsByHost =
                rules.stream()
                        .anyMatch(
                                rule -> rule.condition().namesHosts() && !rule.fields().isEmpty());
        this.varies =
                reading.isEditing()
                        || this.rules.stream().anyMatch(each -> !each.selecting().isEmpty());
        this.keyedVariables = Set.copyOf(keyedVariables);
    }

    /** The names of the origins that rules choose. */
    public Set<String> origins() {
        return rules.stream()
                .map(prepared -> prepared.rule().origin())
                .filter(Objects::nonNull)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The names of the rules, in order. */
    public List<String> names() {
        return rules.stream().map(prepared -> prepared.rule().name()).toList();
    }

    /** The text of each. */
    public List<String> sources() {
        return sources;
    }

    /**
     * The names and texts of the rules that decide what origins are asked, what of that is stored,
     * and under which keys.
     */
    public List<String> sourcesOfStored() {
        var texts = new ArrayList<String>();
        for (int i = 0; i < rules.size(); i++) {
            var rule = rules.get(i).rule();
            if (!rule.isGateAlone()) {
                texts.add(rule.name());
                texts.add(sources.get(i));
            }
        }
        return texts;
    }

    /** Whether a rule may ask clients for credentials. */
    public boolean asksForLogin() {
        return asksForLogin;
    }

    public boolean isEmpty() {
        return rules.isEmpty();
    }

    /** The users and responses of the rules, which may be from files. */
    private List<Object> contents() {
        var contents = new ArrayList<Object>();
        for (var prepared : rules) {
            switch (prepared.rule().ending()) {
                case EndingAction.Login(var credentials) -> contents.add(credentials);
                case EndingAction.Respond(var answer, var fields) -> contents.add(answer);
                case null, default -> {}
            }
        }
        return contents;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RequestRules that
                && sources.equals(that.sources)
                && keyedVariables.equals(that.keyedVariables)
                && contents().equals(that.contents());
    }

    @Override
    public int hashCode() {
        return sources.hashCode();
    }

    List<PreparedRule> prepared() {
        return rules;
    }

    /** Whether the variable is part of every key. */
    boolean isKeyed(String variable) {
        return keyedVariables.contains(variable);
    }

    Set<String> keyedVariables() {
        return keyedVariables;
    }

    /** Whether a rule changes fields of requests whose host it names. */
    boolean editsByHost() {
        return editsByHost;
    }

    /** Whether the response for a URL may depend on values of clients because of a rule. */
    public boolean varies() {
        return varies;
    }

    /**
     * Returns the values of clients on which a response depends because rules change the request
     * fields that it names in {@code Vary}.
     */
    private ClientInputs deciding(Fields response) {
        var all = ClientInputs.NONE;
        for (var name : FieldList.members(response.all("Vary"))) {
            all = all.plus(reading.deciding(name.toLowerCase(Locale.ROOT)));
        }
        return all;
    }

    /**
     * Returns the fields of {@code delivered} as caches of clients may use them.
     *
     * @param inputs of the request and those for its fragments
     * @param isProtected whether a rule asked the client for credentials
     */
    public Fields forClients(
            DeliverRules.Result delivered, ClientInputs inputs, boolean isProtected) {
        var fields = inputs.plus(deciding(delivered.fields())).in(delivered.fields());
        return delivered.addsCookie() || isProtected ? DeliverRules.ofOneClient(fields) : fields;
    }

    /** Begins the phase for a request. */
    public RequestPhase begin(RequestPhase.Subject subject) {
        return new RequestPhase(this, subject);
    }

    /**
     * Returns the keys that a purge of {@code url} means, without values of rules: that of the URL
     * itself, and those that the rules give a GET of it without further fields, by a client and in
     * a page. A rule that ends the phase is passed over, since it may not apply to other requests.
     *
     * @param now returns the time of day
     */
    public Set<CacheKey> keysOf(CacheKey url, Supplier<Instant> now) {
        if (rules.isEmpty()) {
            return Set.of(url.ofUrl());
        }
        var keys = new LinkedHashSet<CacheKey>();
        keys.add(url.ofUrl());
        var bare =
                new RequestHead(
                        "GET",
                        url.scheme(),
                        url.authority(),
                        url.target(),
                        Fields.of("Host", url.authority()));
        for (int level = 0; level < 2; level++) {
            var phase =
                    begin(
                            new RequestPhase.Subject(
                                    bare,
                                    InetAddress::getLoopbackAddress,
                                    false,
                                    level,
                                    "HTTP/1.1",
                                    now));
            Ending passedOver;
            do {
                passedOver = phase.run();
            } while (passedOver != null);
            keys.add(CacheKey.of(phase.request()));
        }
        return keys;
    }

    /** Returns the rule called {@code name}, or null. */
    public @Nullable RequestRule named(String name) {
        for (var prepared : rules) {
            if (prepared.rule().name().equals(name)) {
                return prepared.rule();
            }
        }
        return null;
    }
}
