package dev.quire.proxy.check;

import dev.quire.core.assemble.ErrorDocument;
import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.assemble.Failure;
import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Admission;
import dev.quire.core.policy.AuthorLifetime;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.EffectiveRequest;
import dev.quire.core.policy.HttpsRedirect;
import dev.quire.core.policy.RequestFields;
import dev.quire.core.policy.ResponseTimes;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.StoredView;
import dev.quire.core.policy.Tags;
import dev.quire.core.rule.Ending;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.PathPattern;
import dev.quire.core.rule.RequestPhase;
import dev.quire.core.rule.ResponsePhase;
import dev.quire.core.rule.RuledRequest;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.RouteConfig;
import dev.quire.proxy.config.RuleTest;
import dev.quire.proxy.config.RuleTest.Result;
import dev.quire.proxy.route.OriginSettings;
import dev.quire.proxy.route.Router;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Finds what a configuration does with the request of one test. Used once. */
final class TestRun {
    private static final ErrorPage UNUSABLE =
            ErrorPage.of(new Failure(Failure.Side.ORIGIN, Failure.Kind.STATUS, 502, ""));

    private final Configuration configuration;
    private final Router<RouteConfig> router;
    private final RuleTest test;
    private final Instant now;
    private final Outcome outcome = new Outcome();
    private final List<String> applied = new ArrayList<>();

    private TestRun(
            Configuration configuration, Router<RouteConfig> router, RuleTest test, Instant now) {
        this.configuration = configuration;
        this.router = router;
        this.test = test;
        this.now = now;
    }

    static Router<RouteConfig> router(Configuration configuration) {
        return new Router<>(
                configuration.routes().stream()
                        .map(route ->
                                new Router.Route<>(
                                        new HostPattern(route.host()),
                                        new PathPattern(route.path()),
                                        route))
                        .toList());
    }

    static Outcome of(
            Configuration configuration, Router<RouteConfig> router, RuleTest test, Instant now) {
        return new TestRun(configuration, router, test, now).run();
    }

    private Outcome run() {
        var trust = configuration.trust();
        boolean isTrusted = trust.trusts(test.client());
        var sender =
                new EffectiveRequest.Sender(
                        test.client().getHostAddress(),
                        isTrusted,
                        FieldNames.of(trust.fields().toArray(String[]::new)));
        var received = EffectiveRequest.of(test.request(), sender);
        var effective =
                new EffectiveRequest(
                        configuration.variants().ofReaders(() -> now).of(received.head()),
                        received.keyedFields());
        var phase =
                configuration
                        .rules()
                        .request()
                        .begin(
                                new RequestPhase.Subject(
                                        effective.head(),
                                        test::client,
                                        isTrusted,
                                        test.level(),
                                        "HTTP/1.1",
                                        () -> now));
        var redirect = configuration.listen().httpsRedirect();
        if (redirect.isPresent() && isRedirected(redirect.get(), effective.head())) {
            redirected(phase, redirect.get(), effective.head());
        } else {
            ruled(phase, effective);
        }
        outcome.rules(applied);
        return outcome;
    }

    private void ruled(RequestPhase phase, EffectiveRequest effective) {
        var ending = phase.run();
        while (ending instanceof Ending.Check || isAdmitted(ending)) {
            // No request of a test exceeds a limit.
            ending = phase.run();
        }
        applied.addAll(phase.applied());
        if (ending == null) {
            routed(phase, effective);
        } else {
            outcome.put(Result.CACHE, "none");
            ended(phase, effective, ending);
        }
    }

    /** Whether the request is redirected to https, which comes before the rules. */
    private boolean isRedirected(HttpsRedirect redirect, RequestHead head) {
        return test.level() == 0
                && redirect.applies(head)
                && !(router.match(CacheKey.of(head)) instanceof Router.Match.UnknownHost);
    }

    private void redirected(RequestPhase phase, HttpsRedirect redirect, RequestHead head) {
        var location = Fields.of("Location", redirect.location(head));
        outcome.put(Result.CACHE, "none");
        delivered(phase, new ResponseHead(HttpsRedirect.STATUS, "", location), "pass");
    }

    /** The passwords of a test are not checked. */
    private boolean isAdmitted(@Nullable Ending ending) {
        return ending instanceof Ending.Login && test.request().fields().contains("Authorization");
    }

    private void ended(RequestPhase phase, EffectiveRequest effective, Ending ending) {
        var head =
                switch (ending) {
                    case Ending.Redirect(var rule, var status, var location) ->
                            new ResponseHead(status, "", Fields.of("Location", location));
                    case Ending.Respond(var rule, var answer, var fields) -> {
                        outcome.put(Result.BODY, new String(answer.body(), StandardCharsets.UTF_8));
                        var all = new Fields.Builder();
                        if (answer.type() != null) {
                            all.add("Content-Type", answer.type());
                        }
                        if (!fields.contains("Cache-Control")) {
                            all.add("Cache-Control", "no-store");
                        }
                        yield new ResponseHead(answer.status(), "", all.addAll(fields).build());
                    }
                    case Ending.Deny(var rule, var status) ->
                            error(effective.head(), ErrorPage.ofRule(status));
                    case Ending.Login(var rule, var credentials) ->
                            error(effective.head(), ErrorPage.ofLogin(credentials.realm()));
                    case Ending.Check check -> error(effective.head(), ErrorPage.ofRate(0));
                };
        delivered(phase, head, "rule");
    }

    private void routed(RequestPhase phase, EffectiveRequest effective) {
        var ruled = phase.result();
        var head = test.level() > 0 ? RequestFields.ofFragments(ruled.head()) : ruled.head();
        outcome.put(Result.KEY, ruled.parts().stream().map(CacheKey.Part::value).toList());
        switch (router.match(ruled.key())) {
            case Router.Match.Matched<RouteConfig> found ->
                    asked(phase, found.target(), ruled, head, effective);
            case Router.Match.UnknownHost<RouteConfig> ignored ->
                    unrouted(phase, head, ErrorPage.MISDIRECTED);
            case Router.Match.UnknownPath<RouteConfig> ignored ->
                    unrouted(phase, head, ErrorPage.NOT_FOUND);
        }
    }

    private void unrouted(RequestPhase phase, RequestHead head, ErrorPage error) {
        outcome.put(Result.CACHE, "none");
        delivered(phase, error(head, error), "error");
    }

    /** The head of {@code error}, or of the page that is sent in its place. */
    private ResponseHead error(RequestHead head, ErrorPage error) {
        var page =
                test.level() > 0
                        ? null
                        : configuration.errorPages().ofOwn(error.status(), head, this::prefersJson);
        return page == null
                ? ErrorDocument.of(error, test.request().fields(), "").head(now)
                : replaced(page, error);
    }

    /** The head of {@code answer}, of the origin, or of the page that is sent in its place. */
    private ResponseHead intercepted(RequestHead head, ResponseHead answer) {
        var page =
                test.level() > 0 || answer.status() < 400
                        ? null
                        : configuration
                                .errorPages()
                                .ofOrigin(answer.status(), head, this::prefersJson);
        return page == null
                ? answer
                : replaced(page, ErrorPage.ofIntercepted(answer.status(), answer.fields()));
    }

    /** The fields of {@code page} are not known. */
    private ResponseHead replaced(String page, ErrorPage error) {
        outcome.put(Result.ERROR_PAGE, page);
        return new ResponseHead(error.status(), error.title(), error.fields());
    }

    private boolean prefersJson() {
        return ErrorDocument.isJson(test.request().fields());
    }

    private void asked(
            RequestPhase phase,
            RouteConfig route,
            RuledRequest ruled,
            RequestHead head,
            EffectiveRequest effective) {
        var decision = CachePolicy.<StoredView>decide(head, false, null, false, false, now);
        boolean isPassed = ruled.passes() || !(decision instanceof CacheDecision.Miss);
        outcome.put(Result.CACHE, isPassed ? "pass" : "lookup");
        outcome.put(Result.ORIGIN, head.method() + " " + head.target());
        var name = ruled.origin() == null ? route.origin() : ruled.origin();
        var origin = Objects.requireNonNull(configuration.origins().get(name), name);
        outcome.put(Result.ORIGIN_NAME, name);
        outcome.put(Result.HOST, origin.host().orElse(head.authority()));
        outcome.sent(sent(head.fields(), origin));
        if (test.answer().isPresent()) {
            answered(phase, route, ruled, head, effective, isPassed);
        }
    }

    /** The fields of the request after the settings of its origin. */
    private static Fields sent(Fields fields, OriginSettings origin) {
        var host = origin.host();
        var kept =
                fields.without(name ->
                        (host.isPresent() && name.equalsIgnoreCase("Host"))
                                || (!origin.sendsVia() && name.equalsIgnoreCase("Via")));
        return host.map(own -> new Fields.Builder().add("Host", own).addAll(kept).build())
                .orElse(kept);
    }

    private void answered(
            RequestPhase phase,
            RouteConfig route,
            RuledRequest ruled,
            RequestHead head,
            EffectiveRequest effective,
            boolean isPassed) {
        var answer = test.answer().orElseThrow();
        var result =
                new ResponsePhase(configuration.rules().response(), ruled.key(), ruled.variables())
                        .applied(answer, now);
        applied.addAll(result.applied());
        outcome.put(Result.TAGS, Tags.of(result.head().fields()));
        if (result.fails()) {
            outcome.put(Result.STORED, "false");
            delivered(phase, error(ruled.head(), UNUSABLE), "error");
            return;
        }
        var settings =
                route.settings(configuration.cache(), configuration.esi())
                        .with(result.over(route.operator()));
        var decision =
                new Admission(
                                new SentRequest(
                                        head,
                                        head.fields(),
                                        effective.keyedFields(),
                                        ruled.unkeyedFields()),
                                settings,
                                AuthorLifetime.UNSAID,
                                !isPassed,
                                false,
                                configuration.cache().maxObjectBytes(),
                                configuration.esi().maxDocumentBytes())
                        .afterRules(answer.fields())
                        .of(
                                result.head(),
                                new ResponseTimes(now, now, now),
                                new Admission.Body(false, false, false));
        outcome.stored(decision);
        delivered(phase, intercepted(ruled.head(), result.head()), isPassed ? "pass" : "miss");
    }

    private void delivered(RequestPhase phase, ResponseHead head, String handling) {
        outcome.put(Result.STATUS, String.valueOf(head.status()));
        if (test.level() > 0) {
            outcome.delivered(head.fields());
            return;
        }
        var result = configuration.rules().deliver().applied(head, phase, handling, 0);
        applied.addAll(result.applied());
        outcome.delivered(
                configuration
                        .rules()
                        .request()
                        .forClients(result, phase.inputs(), phase.isProtected()));
    }
}
