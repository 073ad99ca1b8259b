package dev.quire.it;

import dev.quire.core.http.Fields;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.Response;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

/**
 * A shared cache without surrogate features: it stores by URL as {@code Cache-Control} allows,
 * honours {@code Vary}, and never expires entries. Thread-safe.
 */
final class DumbCache implements AutoCloseable {
    private static final Pattern LIFETIME = Pattern.compile("\\b(s-maxage|max-age)=0*[1-9]");
    private static final Pattern FORBIDDEN = Pattern.compile("\\b(private|no-store|no-cache)\\b");
    private static final Set<String> OF_CONNECTION =
            Set.of("connection", "keep-alive", "transfer-encoding", "content-length", "te");

    private final Map<String, List<Stored>> stored = new ConcurrentHashMap<>();
    private final AtomicInteger hits = new AtomicInteger();
    private final InetSocketAddress behind;
    private final Origin front = Origin.start();

    private record Stored(Map<String, List<String>> selectedBy, Response response) {
        boolean isFor(Fields request) {
            return selectedBy.entrySet().stream()
                    .allMatch(field -> request.all(field.getKey()).equals(field.getValue()));
        }
    }

    private DumbCache(InetSocketAddress behind) {
        this.behind = behind;
        front.otherwise(this::answer);
    }

    /** Starts a cache in front of the server at {@code address}. */
    static DumbCache inFrontOf(InetSocketAddress address) {
        return new DumbCache(address);
    }

    InetSocketAddress address() {
        return front.address();
    }

    URI url() {
        return front.url();
    }

    /** Returns the number of hits. */
    int hits() {
        return hits.get();
    }

    @Override
    public void close() {
        front.close();
    }

    private Answer answer(ReceivedRequest request) {
        var key = request.field("Host") + request.target();
        if (request.method().equals("GET")) {
            for (var entry : stored.getOrDefault(key, List.of())) {
                if (entry.isFor(request.fields())) {
                    hits.incrementAndGet();
                    return answer(entry.response());
                }
            }
        }
        var response = forward(request);
        if (request.method().equals("GET") && mayKeep(request.fields(), response)) {
            var selectedBy = new ConcurrentHashMap<String, List<String>>();
            for (var name : names(response.fields().all("Vary"))) {
                selectedBy.put(name, request.fields().all(name));
            }
            stored.computeIfAbsent(key, url -> new CopyOnWriteArrayList<>())
                    .add(new Stored(selectedBy, response));
        }
        return answer(response);
    }

    private Response forward(ReceivedRequest request) {
        var fields = new ArrayList<String>();
        request.fields()
                .forEach((name, value) -> {
                    if (!OF_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                        fields.add(name);
                        fields.add(value);
                    }
                });
        fields.add("Via");
        fields.add("1.1 dumb");
        try (var wire = HttpWire.to(behind)) {
            return wire.request(request.method(), request.target(), fields.toArray(String[]::new))
                    .response();
        }
    }

    private static boolean mayKeep(Fields request, Response response) {
        var said = String.join(", ", response.fields().all("Cache-Control"));
        return response.status() == 200
                && !request.contains("Authorization")
                && !response.fields().contains("Set-Cookie")
                && !names(response.fields().all("Vary")).contains("*")
                && !FORBIDDEN.matcher(said).find()
                && LIFETIME.matcher(said).find();
    }

    private static List<String> names(List<String> lines) {
        var names = new ArrayList<String>();
        for (var line : lines) {
            for (var name : line.split(",", -1)) {
                names.add(name.strip().toLowerCase(Locale.ROOT));
            }
        }
        return names;
    }

    private static Answer answer(Response response) {
        var answer = new AtomicReference<>(Answer.status(response.status()).undated());
        response.fields()
                .forEach((name, value) -> {
                    if (!OF_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                        answer.updateAndGet(soFar -> soFar.field(name, value));
                    }
                });
        return answer.get().body(response.body().bytes());
    }
}
