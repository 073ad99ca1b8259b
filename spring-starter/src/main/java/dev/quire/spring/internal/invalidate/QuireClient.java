package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.Invalidation;
import dev.quire.spring.invalidate.SurrogateAnswer;
import dev.quire.spring.invalidate.SurrogateClient;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client for Quire's admin API: {@code POST /v1/purge}. */
final class QuireClient implements SurrogateClient {

    private static final Logger log = LoggerFactory.getLogger(QuireClient.class);

    /** The names of nodes in an answer. */
    private static final Pattern MISSING = Pattern.compile("\"missing\":\\[([^\\]]+)]");

    private static final String NODES =
            ". Other nodes may serve outdated responses. Check them with 'quire fleet'.";

    private static final Pattern REPLICAS =
            Pattern.compile("\"replicas\":(\\d+),\"replicated\":(\\d+)");

    private final AdminRequests requests;
    private final URI url;
    private final Optional<String> token;
    private final String more;

    /** Whether the last invalidation outlives a restart of the surrogate. */
    private volatile boolean isDurable = true;

    /** Why the last invalidation has not come as far as it should; empty if it has. */
    private volatile String lack = "";

    /**
     * @param ack how far an invalidation must come in the fleet of the surrogate; null for its
     *     default
     */
    QuireClient(
            AdminRequests requests,
            URI url,
            Optional<String> token,
            InvalidationProperties.@Nullable Ack ack) {
        this.requests = requests;
        this.url = url;
        this.token = token;
        // An older surrogate does not know the member.
        this.more = ack == null ? "" : ",\"ack\":\"" + ack.name().toLowerCase(Locale.ROOT) + "\"";
    }

    @Override
    public String product() {
        return "quire";
    }

    @Override
    public String name() {
        return url.toString();
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public SurrogateAnswer send(Invalidation invalidation) throws InterruptedException {
        return requests.send(
                request("/v1/purge")
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(json(invalidation)))
                        .build(),
                this::invalidated);
    }

    /**
     * With 202, the surrogate has invalidated, but may forget that at a restart, or other nodes of
     * its fleet have not done so yet.
     */
    private void invalidated(int status, String body) {
        boolean isComplete = status != 202;
        boolean isAboutFleet = body.contains("\"applied\":");
        lacks(isComplete || !isAboutFleet ? "" : lackIn(body));
        boolean wasDurable = isDurable;
        isDurable = isComplete || (isAboutFleet && !body.contains("\"durable\":false"));
        if (wasDurable && !isDurable) {
            log.warn(
                    "{} has invalidated, but could not store that on its disk: after a restart it"
                            + " may serve outdated responses until they expire. Check its disk.",
                    name());
        }
    }

    private void lacks(String present) {
        var before = lack;
        lack = present;
        if (present.isEmpty() && !before.isEmpty()) {
            log.info("the fleet of {} confirms invalidations again", name());
        } else if (!present.equals(before)) {
            log.warn("{} has invalidated, but {}", name(), present);
        }
    }

    private static String lackIn(String body) {
        var missing = MISSING.matcher(body);
        if (missing.find()) {
            return "these nodes of its fleet have not confirmed it: "
                    + AdminRequests.text(missing.group(1))
                    + NODES;
        }
        if (!body.contains("\"position\":")) {
            return "the invalidation is not in the log of a fleet" + NODES;
        }
        if (body.contains("\"applied\":\"log\"") && body.contains("\"nodes\":")) {
            return "has not learned which nodes of its fleet have applied it" + NODES;
        }
        var replicas = REPLICAS.matcher(body);
        return replicas.find()
                        && Long.parseLong(replicas.group(2)) < Long.parseLong(replicas.group(1))
                ? ("only %s of %s replicas of its store have that. If another one becomes the"
                                + " primary server now, nodes may serve outdated responses. Check"
                                + " the replicas.")
                        .formatted(replicas.group(2), replicas.group(1))
                : "";
    }

    @Override
    public SurrogateAnswer reach() throws InterruptedException {
        return requests.send(request("/healthz").build());
    }

    private HttpRequest.Builder request(String path) {
        var request = HttpRequest.newBuilder(AdminRequests.below(url, path));
        token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
        return request;
    }

    private String json(Invalidation invalidation) {
        return "{\"tags\":%s,\"urls\":%s,\"soft\":%b%s}"
                .formatted(
                        array(invalidation.tags()),
                        array(
                                invalidation.urls().stream()
                                        .flatMap(QuireClient::forms)
                                        .distinct()
                                        .toList()),
                        invalidation.mode() == Invalidation.Mode.SOFT,
                        more);
    }

    /**
     * Returns a URL as clients may send it: Quire's keys have a query as it was received, so one
     * with other characters than ASCII is also sent unchanged.
     */
    private static Stream<String> forms(URI url) {
        var text = url.toString();
        int query = text.indexOf('?');
        var ascii = InvalidationKeys.ascii(text);
        return query < 0
                ? Stream.of(ascii)
                : Stream.of(
                        ascii,
                        InvalidationKeys.ascii(text.substring(0, query)) + text.substring(query));
    }

    private static String array(Collection<String> texts) {
        var array = new StringBuilder("[");
        for (var text : texts) {
            array.append(array.length() == 1 ? "\"" : ",\"")
                    .append(text.replace("\\", "\\\\").replace("\"", "\\\""))
                    .append('"');
        }
        return array.append(']').toString();
    }
}
