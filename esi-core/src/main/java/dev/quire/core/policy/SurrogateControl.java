package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.Stamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The directives of an origin for this surrogate (Edge Architecture 1.0 §2.2), without those for
 * other devices. A directive for this surrogate overrides the same one for all. {@code
 * Cache-Control} directives that the note does not define have their usual meaning.
 *
 * @param isPresent whether it has any directive for this surrogate
 * @param directives those about storing and reuse; {@code maxAge} has the N of {@code N+M}
 * @param staleFor the M of {@code max-age=N+M}: how long past its lifetime the response may be
 *     served while it is refreshed or the origin fails
 * @param noStoreRemote must not be stored by a surrogate far from the origin, which Quire is not
 * @param content the requested processing, as written
 * @param stamps the stamps of its tags, as written; one, unless another was injected
 */
public record SurrogateControl(
        boolean isPresent,
        CacheControl directives,
        Optional<Duration> staleFor,
        boolean noStoreRemote,
        List<String> content,
        List<String> stamps) {

    private static final String FIELD = "Surrogate-Control";
    private static final String CONTENT = "content";
    private static final String STAMP = "stamp";

    /** These form a group: overriding one of them overrides all. */
    private static final Set<String> LIFETIME = Set.of("no-store", "max-age", "s-maxage");

    public SurrogateControl {
        content = List.copyOf(content);
        stamps = List.copyOf(stamps);
    }

    /** Parses all {@code Surrogate-Control} lines for the device called {@code deviceToken}. */
    public static SurrogateControl of(Fields fields, String deviceToken) {
        var ours = directivesFor(deviceToken, FieldList.members(fields.all(FIELD)));
        var content = new ArrayList<String>();
        var stamps = new ArrayList<String>();
        var common = new ArrayList<Directive>();
        Optional<Duration> staleFor = Optional.empty();
        boolean noStoreRemote = false;
        boolean maxAgeSeen = false;
        for (var directive : ours) {
            switch (directive.name()) {
                case CONTENT ->
                        content.addAll(FieldList.split(directive.argument().orElse(""), ' '));
                case STAMP -> stamps.add(directive.argument().orElse(""));
                case "no-store-remote" -> noStoreRemote = true;
                case "max-age" -> {
                    var maxAge = MaxAge.of(directive);
                    common.add(maxAge.fresh());
                    staleFor = maxAgeSeen ? staleFor : maxAge.staleFor();
                    maxAgeSeen = true;
                }
                default -> common.add(directive);
            }
        }
        return new SurrogateControl(
                !ours.isEmpty(), CacheControl.of(common), staleFor, noStoreRemote, content, stamps);
    }

    /** Parses all {@code Surrogate-Control} lines, for any device. */
    static CacheControl toAnyone(Fields response) {
        return CacheControl.of(
                FieldList.members(response.all(FIELD)).stream()
                        .flatMap(member -> FieldList.split(member, ';').stream().limit(1))
                        .flatMap(directive -> Directive.parse(directive).stream())
                        .toList());
    }

    /** Whether it asks for ESI in a supported version: 1.0 or earlier. */
    public boolean asksForEsi() {
        for (int i = 0; i < content.size(); i++) {
            if (isEsiWeSpeak(content.get(i))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Decides which tags of the document are markup, if {@code sent} was sent with the request for
     * it. Only the unpredictable stamp of this request proves that the application wrote them.
     *
     * @param sent null if none was sent
     */
    public StampStatus stampStatus(@Nullable Stamp sent) {
        if (stamps.isEmpty()) {
            return StampStatus.UNSTAMPED;
        }
        boolean isAnswer = sent != null && stamps.stream().allMatch(sent.text()::equals);
        return isAnswer ? StampStatus.STAMPED : StampStatus.INERT;
    }

    /** Returns {@code fields} without their stamps, which are secret; or the same object. */
    public static Fields withoutStamps(Fields fields) {
        return without(STAMP, fields);
    }

    /**
     * Returns {@code fields} without a request for processing; the same object if they have none.
     */
    public static Fields withoutContent(Fields fields) {
        return without(CONTENT, fields);
    }

    /**
     * Returns the fields to store after a validation turned {@code stored} into {@code merged} (RFC
     * 9111 §3.2): those without stamps. A document remains one if the validating response does not
     * mention content. Which tags are markup does not change.
     */
    public static Fields renewed(Fields stored, Fields merged) {
        var told = withoutStamps(merged);
        if (told.all(FIELD).equals(stored.all(FIELD)) || names(CONTENT, told)) {
            return told;
        }
        var content =
                FieldList.members(stored.all(FIELD)).stream()
                        .filter(member -> isOf(CONTENT, member))
                        .collect(Collectors.joining(", "));
        return content.isEmpty()
                ? told
                : new Fields.Builder().addAll(told).add(FIELD, content).build();
    }

    private static Fields without(String directive, Fields fields) {
        if (!names(directive, fields)) {
            return fields;
        }
        var rest = new Fields.Builder();
        fields.forEach((name, value) -> {
            if (!name.equalsIgnoreCase(FIELD)) {
                rest.add(name, value);
                return;
            }
            var kept =
                    FieldList.members(List.of(value)).stream()
                            .filter(member -> !isOf(directive, member))
                            .collect(Collectors.joining(", "));
            if (!kept.isEmpty()) {
                rest.add(name, kept);
            }
        });
        return rest.build();
    }

    private static boolean names(String directive, Fields fields) {
        return FieldList.members(fields.all(FIELD)).stream()
                .anyMatch(member -> isOf(directive, member));
    }

    private static boolean isOf(String name, String member) {
        return FieldList.split(member, ';').stream()
                .limit(1)
                .flatMap(directive -> directive(directive).stream())
                .anyMatch(directive -> directive.is(name));
    }

    /** Parses a directive; a malformed stamp counts as another's stamp. */
    private static Optional<Directive> directive(String text) {
        int equals = text.indexOf('=');
        boolean isStamp = equals > 0 && text.substring(0, equals).strip().equalsIgnoreCase(STAMP);
        return Directive.parse(text)
                .or(() ->
                        isStamp
                                ? Optional.of(new Directive(STAMP, Optional.empty()))
                                : Optional.empty());
    }

    public boolean noStore() {
        return directives.noStore();
    }

    /** Returns the freshness lifetime: the N of {@code max-age=N+M}. */
    public Optional<Duration> maxAge() {
        return directives.maxAge();
    }

    /** Returns how long past its lifetime it may be served while it is refreshed. */
    public Optional<Duration> staleWhileRevalidate() {
        return directives.staleWhileRevalidate().or(() -> staleFor);
    }

    /** Returns how long past its lifetime it may be served instead of an error. */
    public Optional<Duration> staleIfError() {
        return directives.staleIfError().or(() -> staleFor);
    }

    /**
     * Whether it alone governs storing and reuse. With only content or stale windows it does not,
     * and {@code Cache-Control} and {@code Expires} apply.
     */
    public boolean governs() {
        return directives.noStore()
                || directives.noCache()
                || directives.isPrivate()
                || directives.maxAge().isPresent()
                || directives.sMaxAge().isPresent();
    }

    /** Returns the directives for {@code deviceToken}, those that name it first. */
    private static List<Directive> directivesFor(String deviceToken, List<String> members) {
        var aimed = new ArrayList<Directive>();
        var general = new ArrayList<Directive>();
        for (var member : members) {
            var parts = FieldList.split(member, ';');
            if (parts.isEmpty()) {
                continue;
            }
            var targets = parts.subList(1, parts.size());
            var directive = directive(parts.get(0));
            if (targets.isEmpty()) {
                directive.ifPresent(general::add);
            } else if (targets.contains(deviceToken)) {
                directive.ifPresent(aimed::add);
            }
        }
        var overridden = new HashSet<String>();
        for (var directive : aimed) {
            overridden.add(directive.name());
            if (LIFETIME.contains(directive.name())) {
                overridden.addAll(LIFETIME);
            }
        }
        general.removeIf(directive -> overridden.contains(directive.name()));
        aimed.addAll(general);
        return aimed;
    }

    private static boolean isEsiWeSpeak(String token) {
        return token.equals("ESI/1.0")
                || (token.startsWith("ESI/0.") && DeltaSeconds.parse(token.substring(6)) >= 0);
    }

    /** A parsed {@code max-age=N+M}. */
    private record MaxAge(Directive fresh, Optional<Duration> staleFor) {
        static MaxAge of(Directive whole) {
            var sum = whole.argument().orElse("");
            int plus = sum.indexOf('+');
            if (plus < 0) {
                return new MaxAge(whole, Optional.empty());
            }
            var fresh = sum.substring(0, plus);
            long staleFor = DeltaSeconds.parse(sum.substring(plus + 1));
            if (DeltaSeconds.parse(fresh) < 0 || staleFor < 0) {
                // Malformed as a whole: left unchanged, it counts as zero.
                return new MaxAge(whole, Optional.empty());
            }
            return new MaxAge(
                    new Directive(whole.name(), Optional.of(fresh)),
                    Optional.of(Duration.ofSeconds(staleFor)));
        }
    }
}
