package dev.quire.it;

import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;

import dev.quire.core.http.Scheme;
import dev.quire.proxy.Proxy;
import dev.quire.proxy.admin.PurgeRequest;
import dev.quire.proxy.cli.ListenAddresses;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.RuleTest;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/** The request of one test of an example, sent to a new proxy as often as needed. */
final class ExampleVisit implements AutoCloseable {
    /** The page that includes the fragment of a test. */
    private static final String PAGE = "/page-of-the-fragment";

    /** Begins the paths of error pages. */
    private static final String ERRORS = "/errors/";

    private static final Pattern APPLIED =
            Pattern.compile(
                    "(?m)^quire_rules_total\\{result=\"applied\",rule=\"([^\"]+)\"\\} [1-9].*$");

    private final ExampleSite site;
    private final RuleTest test;
    private final Proxy proxy;
    private final ListenAddresses addresses;
    private final Map<String, AtomicInteger> answers = new ConcurrentHashMap<>();
    private volatile boolean isBroken;

    ExampleVisit(ExampleSite site, RuleTest test, Configuration configuration) throws Exception {
        this.site = site;
        this.test = test;
        site.answer(this::answer);
        proxy = new Proxy(configuration, site.clock);
        addresses = proxy.start();
        site.forget();
    }

    /** The origins fail from now on. */
    void breakOrigins() {
        isBroken = true;
    }

    /** Bodies are numbered for each target. */
    private Answer answer(ReceivedRequest request) {
        if (isBroken) {
            return Answer.status(503);
        }
        if (request.path().equals(PAGE)) {
            return page("[" + include(test.request().target()) + "]");
        }
        if (request.path().startsWith(ERRORS)) {
            // Its type is not known to the check either.
            return Answer.status(200).field("Cache-Control", "max-age=60").body("sorry");
        }
        int number =
                answers.computeIfAbsent(request.target(), target -> new AtomicInteger())
                        .incrementAndGet();
        var given = test.answer();
        if (given.isEmpty()) {
            return Answer.html("" + number).field("Cache-Control", "max-age=60");
        }
        var answer = Answer.status(given.get().status()).body("" + number);
        var lines = new ArrayList<Map.Entry<String, String>>();
        given.get().fields().forEach((name, value) -> lines.add(Map.entry(name, value)));
        for (var line : lines) {
            answer = answer.field(line.getKey(), line.getValue());
        }
        return answer;
    }

    /** Sends the request of the test, or that of a page that includes it. */
    Response send() {
        var lines = new ArrayList<String>();
        test.request().fields().forEach((name, value) -> lines.addAll(List.of(name, value)));
        return send(lines);
    }

    /** Sends it without the fields and cookies of the test. */
    Response sendPlain() {
        return send(List.of("Host", test.request().authority()));
    }

    private Response send(List<String> fields) {
        var lines = new ArrayList<>(fields);
        if (!site.isDirect(test)) {
            lines.addAll(List.of("X-Forwarded-For", test.client().getHostAddress()));
            if (!test.request().fields().contains("X-Forwarded-Proto")) {
                lines.addAll(List.of("X-Forwarded-Proto", test.request().scheme().text()));
            }
        } else if (test.request().scheme() != Scheme.HTTP) {
            throw new IllegalStateException("no client can use https without a proxy");
        }
        var target = test.level() > 0 ? PAGE : test.request().target();
        try (var client = HttpWire.to(addresses.http())) {
            return client.request(test.request().method(), target, lines.toArray(String[]::new))
                    .response();
        }
    }

    /** The requests to the origins, except those for error pages and health checks. */
    List<ExampleSite.Asked> asked() {
        return site.asked().stream()
                .filter(asked ->
                        !asked.request().path().startsWith(ERRORS)
                                && !asked.request().path().equals("/health")
                                && !asked.request().path().equals(PAGE))
                .toList();
    }

    /** The error page that an origin was first asked for; empty without one. */
    Optional<String> errorPage() {
        return site.asked().stream()
                .map(asked -> asked.request().target())
                .filter(target -> target.startsWith(ERRORS))
                .findFirst();
    }

    /** The number of requests to the origins, once no fetch is in flight. */
    int fetches() {
        ReloadableProxy.await(() -> proxy.openFetches() == 0, "no fetch in flight");
        return asked().size();
    }

    void advance(Duration by) {
        site.clock.advance(by);
    }

    void purgeTag(String tag) {
        proxy.administration().purge(PurgeRequest.of(List.of(), List.of(tag)));
    }

    /** The rules that the metrics count as applied, in the order of the file. */
    List<String> rules() {
        try (var operator = HttpWire.to(addresses.admin())) {
            var found =
                    APPLIED.matcher(operator.get("/metrics").text())
                            .results()
                            .map(line -> line.group(1))
                            .toList();
            return site.rules().names().stream().filter(found::contains).toList();
        }
    }

    @Override
    public void close() {
        proxy.close();
    }
}
