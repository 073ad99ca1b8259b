package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.Invalidation;
import dev.quire.spring.invalidate.SurrogateAnswer;
import dev.quire.spring.invalidate.SurrogateAnswer.Done;
import dev.quire.spring.invalidate.SurrogateClient;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * A client for Fastly and services with the same purge API: {@code POST …/service/ID/purge} with
 * the keys in {@code Surrogate-Key}, and {@code POST /purge/HOST/PATH} for a URL.
 */
final class FastlyClient implements SurrogateClient {

    private static final int MOST_CHARS = 8000;

    private final AdminRequests requests;
    private final URI service;
    private final Optional<String> key;

    /**
     * Creates a client for one service.
     *
     * @param service the API address of the service, for example {@code
     *     https://api.fastly.com/service/SU1Z0isxPaozGVKXdv0eY}
     */
    FastlyClient(AdminRequests requests, URI service, Optional<String> key) {
        this.requests = requests;
        this.service = service;
        this.key = key;
    }

    @Override
    public String product() {
        return "fastly";
    }

    @Override
    public String name() {
        return service.toString();
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public SurrogateAnswer send(Invalidation invalidation) throws InterruptedException {
        SurrogateAnswer answer = new Done();
        for (var keys : AdminRequests.joined(invalidation.tags(), " ", MOST_CHARS)) {
            answer =
                    requests.send(
                            post(AdminRequests.below(service, "/purge"), invalidation.mode())
                                    .header("Surrogate-Key", keys)
                                    .build());
            if (!(answer instanceof Done)) {
                return answer;
            }
        }
        for (var url : invalidation.urls()) {
            answer = requests.send(post(purgeOf(url), invalidation.mode()).build());
            if (!(answer instanceof Done)) {
                return answer;
            }
        }
        return answer;
    }

    @Override
    public SurrogateAnswer reach() throws InterruptedException {
        return requests.send(request(service).build());
    }

    private HttpRequest.Builder post(URI address, Invalidation.Mode mode) {
        var request = request(address).POST(BodyPublishers.noBody());
        if (mode == Invalidation.Mode.SOFT) {
            request.header("Fastly-Soft-Purge", "1");
        }
        return request;
    }

    private HttpRequest.Builder request(URI address) {
        var request = HttpRequest.newBuilder(address).header("Accept", "application/json");
        key.ifPresent(secret -> request.header("Fastly-Key", secret));
        return request;
    }

    private URI purgeOf(URI url) {
        var text = InvalidationKeys.ascii(url.toString());
        return service.resolve("/purge/" + text.substring(text.indexOf("://") + 3));
    }
}
