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
 * A client for Varnish, by requests of method {@code BAN} that its VCL must handle: {@code
 * X-Ban-Tags} is a regular expression over the tag field, {@code X-Ban-Host} and {@code X-Ban-Url}
 * name one resource. The token, if any, is sent in {@code X-Ban-Token}.
 */
final class VarnishClient implements SurrogateClient {

    private static final int MOST_CHARS = 4000;

    private final AdminRequests requests;
    private final URI url;
    private final Optional<String> token;

    VarnishClient(AdminRequests requests, URI url, Optional<String> token) {
        this.requests = requests;
        this.url = url;
        this.token = token;
    }

    @Override
    public String product() {
        return "varnish";
    }

    @Override
    public String name() {
        return url.toString();
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.TAGS, Capability.URLS);
    }

    @Override
    public SurrogateAnswer send(Invalidation invalidation) throws InterruptedException {
        SurrogateAnswer answer = new Done();
        var tags = invalidation.tags().stream().map(VarnishClient::quoted).toList();
        for (var some : AdminRequests.joined(tags, "|", MOST_CHARS)) {
            answer = requests.send(ban().header("X-Ban-Tags", expression(some)).build());
            if (!(answer instanceof Done)) {
                return answer;
            }
        }
        for (var resource : invalidation.urls()) {
            answer =
                    requests.send(
                            ban().header("X-Ban-Host", resource.getRawAuthority())
                                    .header("X-Ban-Url", target(resource))
                                    .build());
            if (!(answer instanceof Done)) {
                return answer;
            }
        }
        return answer;
    }

    /** Sends an empty ban, which the VCL answers like any other. */
    @Override
    public SurrogateAnswer reach() throws InterruptedException {
        return requests.send(ban().build());
    }

    private HttpRequest.Builder ban() {
        var request = HttpRequest.newBuilder(url).method("BAN", BodyPublishers.noBody());
        token.ifPresent(secret -> request.header("X-Ban-Token", secret));
        return request;
    }

    /**
     * Returns an expression that matches any of {@code tags} in a list separated by blanks or
     * commas.
     */
    private static String expression(String tags) {
        return "(^|[\\s,])(" + tags + ")([\\s,]|$)";
    }

    /** Escapes a tag, so that it cannot alter the expression or the ban. */
    private static String quoted(String tag) {
        var quoted = new StringBuilder();
        for (int i = 0; i < tag.length(); i++) {
            char c = tag.charAt(i);
            if (Character.isLetterOrDigit(c) || c == '-' || c == '_') {
                quoted.append(c);
            } else {
                quoted.append("\\x%02x".formatted((int) c));
            }
        }
        return quoted.toString();
    }

    private static String target(URI resource) {
        var path = resource.getRawPath();
        var query = resource.getRawQuery();
        return InvalidationKeys.ascii(
                (path.isEmpty() ? "/" : path) + (query == null ? "" : "?" + query));
    }
}
