package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.Invalidation;
import dev.quire.spring.invalidate.SurrogateAnswer;
import dev.quire.spring.invalidate.SurrogateClient;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client for Quire's admin API: {@code POST /v1/purge}. */
final class QuireClient implements SurrogateClient {

    private static final Logger log = LoggerFactory.getLogger(QuireClient.class);

    private final AdminRequests requests;
    private final URI url;
    private final Optional<String> token;

    /** Whether the last invalidation outlives a restart of the surrogate. */
    private volatile boolean isDurable = true;

    QuireClient(AdminRequests requests, URI url, Optional<String> token) {
        this.requests = requests;
        this.url = url;
        this.token = token;
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

    /** With 202, the surrogate has invalidated, but may forget that at a restart. */
    private void invalidated(int status) {
        boolean wasDurable = isDurable;
        isDurable = status != 202;
        if (wasDurable && !isDurable) {
            log.warn(
                    "{} has invalidated, but could not store that on its disk: after a restart it may serve outdated responses until they expire. Check its disk.",
                    name());
        }
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

    private static String json(Invalidation invalidation) {
        return "{\"tags\":%s,\"urls\":%s,\"soft\":%b}"
                .formatted(
                        array(invalidation.tags()),
                        array(invalidation.urls()),
                        invalidation.mode() == Invalidation.Mode.SOFT);
    }

    private static String array(Collection<?> texts) {
        var array = new StringBuilder("[");
        for (var text : texts) {
            array.append(array.length() == 1 ? "\"" : ",\"")
                    .append(text.toString().replace("\\", "\\\\").replace("\"", "\\\""))
                    .append('"');
        }
        return array.append(']').toString();
    }
}
