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
 * What an origin tells this surrogate (Edge Architecture 1.0 §2.2), directives for other devices
 * left out. A directive aimed at us overrides the same one for everybody. Directives the note does
 * not have but {@code Cache-Control} does mean what they mean there.
 *
 * @param isPresent whether anything in it is for us
 * @param directives those about keeping and reusing; {@code N+M} is seen in {@code maxAge} as N
 * @param staleFor the M of {@code max-age=N+M}: how long past its lifetime the response may be
 *     served while it is refreshed or the origin fails
 * @param noStoreRemote must not be kept by a surrogate far from the origin, which we are not
 * @param content the processing it asks for, as written
 * @param stamps what it says that its tags bear, as written; one, unless somebody added his own
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

    /** These answer one question together: overriding one of them overrides all. */
    private static final Set<String> LIFETIME = Set.of("no-store", "max-age", "s-maxage");

    public SurrogateControl {
        content = List.copyOf(content);
        stamps = List.copyOf(stamps);
    }

    /** What all {@code Surrogate-Control} lines say to the device called {@code deviceToken}. */
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

    /** What all {@code Surrogate-Control} lines say, whichever device they are aimed at. */
    static CacheControl toAnyone(Fields response) {
        return CacheControl.of(
                FieldList.members(response.all(FIELD)).stream()
                        .flatMap(member -> FieldList.split(member, ';').stream().limit(1))
                        .flatMap(directive -> Directive.parse(directive).stream())
                        .toList());
    }

    /** Whether it asks for ESI in a version we speak: 1.0 or an earlier one. */
    public boolean asksForEsi() {
        return content.stream().anyMatch(SurrogateControl::isEsiWeSpeak);
    }

    /**
     * Whose tags the document has, if {@code sent} went along with the request for it: only a stamp
     * that is new to everybody shows that nobody but the application can have written it.
     *
     * @param sent null if none did
     */
    public Verdict verdict(@Nullable Stamp sent) {
        if (stamps.isEmpty()) {
            return Verdict.UNSTAMPED;
        }
        boolean isAnswer = sent != null && stamps.stream().allMatch(sent.text()::equals);
        return isAnswer ? Verdict.STAMPED : Verdict.INERT;
    }

    /**
     * {@code fields} without what they say of stamps, which is told to nobody; the same ones if
     * they say nothing of them.
     */
    public static Fields withoutStamps(Fields fields) {
        return without(STAMP, fields);
    }

    /** {@code fields} as if they asked for no processing; the same ones if they ask for none. */
    public static Fields withoutContent(Fields fields) {
        return without(CONTENT, fields);
    }

    /**
     * What is stored under {@code stored} has been validated, which has made {@code merged} of them
     * (RFC 9111 §3.2): those, but that a document remains one if the validating response is silent
     * on that, and without stamps. Whose the tags are is not for them to say.
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

    /** As elsewhere, but that a stamp that cannot be read is one: somebody else's. */
    private static Optional<Directive> directive(String text) {
        int equals = text.indexOf('=');
        boolean isStamp = equals > 0 && text.substring(0, equals).strip().equalsIgnoreCase(STAMP);
        return Directive.parse(text)
                .or(() ->
                        isStamp
                                ? Optional.of(new Directive(STAMP, Optional.empty()))
                                : Optional.empty());
    }

    /** Whether it must not be kept. */
    public boolean noStore() {
        return directives.noStore();
    }

    /** The freshness lifetime: the N of {@code max-age=N+M}. */
    public Optional<Duration> maxAge() {
        return directives.maxAge();
    }

    /** How long past its lifetime it may be served while it is refreshed. */
    public Optional<Duration> staleWhileRevalidate() {
        return directives.staleWhileRevalidate().or(() -> staleFor);
    }

    /** How long past its lifetime it may stand in for an error. */
    public Optional<Duration> staleIfError() {
        return directives.staleIfError().or(() -> staleFor);
    }

    /**
     * Whether it decides alone on keeping and reusing. One that only names content, or only how
     * long a stale response may be served, leaves that to {@code Cache-Control} and {@code
     * Expires}.
     */
    public boolean governs() {
        return directives.noStore()
                || directives.noCache()
                || directives.isPrivate()
                || directives.maxAge().isPresent()
                || directives.sMaxAge().isPresent();
    }

    /** The directives for {@code deviceToken}, those aimed at it in front. */
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

    /** {@code max-age=N+M} taken apart. */
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
                // Half a number is none: left as it is, it counts as zero.
                return new MaxAge(whole, Optional.empty());
            }
            return new MaxAge(
                    new Directive(whole.name(), Optional.of(fresh)),
                    Optional.of(Duration.ofSeconds(staleFor)));
        }
    }
}
