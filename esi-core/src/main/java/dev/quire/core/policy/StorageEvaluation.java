package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The decision whether to store one response on arrival, and its freshness. */
final class StorageEvaluation {
    /** A response that varies on more fields has hardly two equal requests. */
    private static final int MAX_VARY_NAMES = 8;

    /** An origin may refuse a longer head, and other clients must not receive that error. */
    private static final int MAX_HEAD_OF_ERROR = 4096;

    private static final int HEURISTIC_PART = 10;
    private static final Duration LONGEST_HEURISTIC = Duration.ofHours(24);

    private final RequestHead request;
    private final ResponseHead response;
    private final ResponseTimes times;
    private final Settings settings;
    private final TargetedDirectives applicable;
    private final CacheControl directives;

    /** The directives of the origin, which still forbid what response rules have removed. */
    private final CacheControl received;

    /** The lifetime given by the origin; empty without one. */
    private final Optional<Duration> originLifetime;

    /** The lifetime given by the including page; unset unless the response is a success. */
    private final AuthorLifetime author;

    /** The lifetime given by the page, the operator or the origin; empty without one. */
    private final Optional<Duration> explicitLifetime;

    /** Zero if not given. */
    private final Duration lifetime;

    private final Duration age;

    StorageEvaluation(
            RequestHead request,
            ResponseHead response,
            @Nullable Fields received,
            ResponseTimes times,
            Settings settings,
            AuthorLifetime author) {
        this.request = request;
        this.response = response;
        this.times = times;
        this.settings = settings;
        this.applicable = TargetedDirectives.of(response.fields(), settings.deviceToken());
        this.directives = applicable.directives();
        this.received =
                received == null
                        ? directives
                        : TargetedDirectives.of(received, settings.deviceToken()).directives();
        this.age = times.initialAge(response.fields());
        this.originLifetime = lifetimeOfOrigin();
        this.author = isSuccess() ? author : AuthorLifetime.UNSAID;
        this.explicitLifetime = explicitLifetime();
        this.lifetime = explicitLifetime.or(this::heuristicLifetime).orElse(Duration.ZERO);
    }

    StorageDecision storing() {
        var refusal = refusal();
        return refusal == null
                ? new StorageDecision.Keep(freshness())
                : new StorageDecision.Refuse(refusal);
    }

    /** Returns the first rule of RFC 9111 §3 that forbids storing it, or null. */
    private @Nullable StorageRefusal refusal() {
        if (settings.operator().isUnstored()) {
            return StorageRefusal.RULE;
        }
        if (!request.isGet() && !answersLaterGets()) {
            return StorageRefusal.METHOD;
        }
        if (!isWholeAnswer()) {
            return StorageRefusal.STATUS;
        }
        var forbidden = forbiddenBy(received);
        if (forbidden == null) {
            forbidden = forbiddenBy(directives);
        }
        if (forbidden != null) {
            return forbidden;
        }
        if (setsCookie() && !(settings.storeSetCookie() && isExplicitlyFresh())) {
            return StorageRefusal.SET_COOKIE;
        }
        var varies = SelectingFields.names(fields());
        if (SelectingFields.isAny(varies)) {
            return StorageRefusal.VARY_ANY;
        }
        if (varies.size() > MAX_VARY_NAMES) {
            return StorageRefusal.VARY_TOO_MANY;
        }
        if (varies.contains("cookie") && request.fields().contains("Cookie")) {
            return StorageRefusal.VARY_COOKIE;
        }
        if (Tags.areTooMany(fields())) {
            return StorageRefusal.TAGS;
        }
        if (response.status() >= 400 && headBytes() > MAX_HEAD_OF_ERROR) {
            return StorageRefusal.LARGE_REQUEST;
        }
        if (request.fields().contains("Authorization")
                && !(received.allowsAuthorized() && directives.allowsAuthorized())) {
            return StorageRefusal.AUTHORIZATION;
        }
        if (explicitLifetime.isEmpty() && !directives.isPublic() && !isHeuristicStatus()) {
            return StorageRefusal.STATUS;
        }
        boolean isReusable = isFreshOnArrival() && !validatesAlways();
        if (!isReusable && !Validation.hasValidator(fields())) {
            return StorageRefusal.NO_LIFETIME;
        }
        return null;
    }

    private @Nullable StorageRefusal forbiddenBy(CacheControl said) {
        if (said.mustUnderstand()) {
            if (!isUnderstood()) {
                return StorageRefusal.STATUS;
            }
        } else if (said.noStore()) {
            return StorageRefusal.NO_STORE;
        }
        return said.isPrivate() ? StorageRefusal.PRIVATE : null;
    }

    /**
     * Whether the response to a POST may serve later GETs (RFC 9110 §9.3.3). The origin must allow
     * it by an explicit lifetime and a Content-Location equal to the target.
     */
    private boolean answersLaterGets() {
        var location = fields().first("Content-Location");
        return request.method().equals("POST")
                && response.status() == 200
                && originLifetime.filter(said -> said.compareTo(age) > 0).isPresent()
                && location != null
                && Location.isTarget(location, request);
    }

    /** Whether it is neither a part nor a 304, which are incomplete on their own. */
    private boolean isWholeAnswer() {
        int status = response.status();
        return status >= 200 && status != 206 && status != 304;
    }

    private Freshness freshness() {
        var grace = Duration.ZERO;
        var staleIfError = Duration.ZERO;
        var staleIfUnreachable = Duration.ZERO;
        boolean isNeverStale =
                directives.forbidsStale(settings.staleDespiteSharedMaxAge())
                        || received.forbidsStale(settings.staleDespiteSharedMaxAge());
        if (!isNeverStale) {
            boolean defaults = isFreshOnArrival() || !carriesCredentials();
            boolean speaksOfGrace = applicable.staleWhileRevalidate().isPresent();
            var operator = settings.operator();
            var ofGrace =
                    operator.grace()
                            .filter(said -> isFreshOnArrival() || speaksOfGrace)
                            .or(applicable::staleWhileRevalidate);
            grace = window(ofGrace, isFreshOnArrival() ? settings.grace() : Duration.ZERO);
            // If the operator sets stale-if-error, that of the origin is ignored.
            var ofErrors =
                    operator.staleIfError().isPresent()
                            ? operator.staleIfError().filter(said -> defaults)
                            : applicable.staleIfError();
            staleIfError = window(ofErrors, defaults ? settings.staleIfError() : Duration.ZERO);
            staleIfUnreachable =
                    window(
                            operator.staleIfError().isPresent()
                                    ? Optional.empty()
                                    : applicable.staleIfError(),
                            defaults ? settings.staleIfUnreachable() : Duration.ZERO);
        }
        return new Freshness(
                times.receivedAt(),
                age,
                new Freshness.Terms(
                        lifetime,
                        grace,
                        staleIfError,
                        staleIfUnreachable,
                        validatesAlways(),
                        isNeverStale,
                        directives.isImmutable()));
    }

    private boolean isSuccess() {
        return response.status() >= 200 && response.status() < 300;
    }

    private boolean validatesAlways() {
        return (directives.noCache() || received.noCache())
                && !(author.isStamped() && author.lifetime().isPresent());
    }

    /**
     * Returns the author's, else the operator's, else the origin's lifetime (RFC 9111 §4.2.1). The
     * author of an include without a stamp may be a client, so it only shortens the others.
     */
    private Optional<Duration> explicitLifetime() {
        var given = operatorLifetime().or(() -> originLifetime);
        var ofPage = author.lifetime().map(age::plus);
        if (ofPage.isEmpty()) {
            return given;
        }
        return isByPage()
                ? ofPage
                : given.or(this::unsaidLifetime).map(said -> shorter(said, ofPage.get()));
    }

    /**
     * Whether the page's lifetime replaces all others: the application vouched for the include, or
     * neither the origin nor the operator gives a lifetime, and the response cannot be for one
     * client.
     */
    private boolean isByPage() {
        return author.isStamped()
                || (operatorLifetime().isEmpty()
                        && originLifetime.isEmpty()
                        && unsaidLifetime().isEmpty()
                        && !carriesCredentials());
    }

    /** Returns the window for stale responses that the page, else others give. */
    private Duration window(Optional<Duration> given, Duration otherwise) {
        var said = given.orElse(otherwise);
        boolean replaces = author.isStamped() || (given.isEmpty() && isByPage());
        return author.staleFor().map(time -> replaces ? time : shorter(time, said)).orElse(said);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    private Optional<Duration> operatorLifetime() {
        return settings.operator()
                .lifetime()
                .filter(said -> isOperatorStatus() || isNamedStatus())
                .map(age::plus);
    }

    private Optional<Duration> lifetimeOfOrigin() {
        return directives.sMaxAge().or(directives::maxAge).or(this::lifetimeByExpires);
    }

    private Optional<Duration> lifetimeByExpires() {
        if (applicable.isTargeted() || !fields().contains("Expires")) {
            return Optional.empty();
        }
        return Optional.of(
                times.date(fields(), "Expires")
                        .map(expires -> Duration.between(times.dateOf(fields()), expires))
                        .filter(left -> !left.isNegative())
                        .orElse(Duration.ZERO));
    }

    /**
     * Returns the operator's default, else a heuristic lifetime (RFC 9111 §4.2.2). Empty for a
     * request with credentials: the origin may have forgotten {@code private}.
     */
    private Optional<Duration> heuristicLifetime() {
        return unsaidLifetime().or(() -> mayBeAssumed() ? guess() : Optional.empty());
    }

    /** Returns the operator's lifetime for responses without one. */
    private Optional<Duration> unsaidLifetime() {
        return settings.operator()
                .unsaidLifetime()
                .filter(said -> mayBeAssumed() && isOperatorStatus())
                .map(age::plus);
    }

    private boolean mayBeAssumed() {
        return !applicable.isTargeted()
                && !carriesCredentials()
                && (isHeuristicStatus() || directives.isPublic());
    }

    private Optional<Duration> guess() {
        if (!settings.heuristic()) {
            return Optional.empty();
        }
        return times.date(fields(), "Last-Modified")
                .map(modified -> Duration.between(modified, times.dateOf(fields())))
                .filter(unchanged -> !unchanged.isNegative())
                .map(unchanged -> unchanged.dividedBy(HEURISTIC_PART))
                .map(guess -> guess.compareTo(LONGEST_HEURISTIC) > 0 ? LONGEST_HEURISTIC : guess);
    }

    private boolean isFreshOnArrival() {
        return lifetime.compareTo(age) > 0;
    }

    /**
     * Whether the origin or the application made it fresh; an operator's lifetime for a route does
     * not extend to cookies.
     */
    private boolean isExplicitlyFresh() {
        boolean isOfApplication = author.isStamped() && author.lifetime().isPresent();
        return (isOfApplication || originLifetime.isPresent()) && isFreshOnArrival();
    }

    private boolean setsCookie() {
        return fields().contains("Set-Cookie") || fields().contains("Set-Cookie2");
    }

    private boolean carriesCredentials() {
        return request.fields().contains("Cookie") || request.fields().contains("Authorization");
    }

    private Fields fields() {
        return response.fields();
    }

    /**
     * The statuses with a heuristic lifetime (RFC 9110 §15.1), except 206, which is never stored.
     */
    private boolean isHeuristicStatus() {
        return switch (response.status()) {
            case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501 -> true;
            default -> false;
        };
    }

    /** The statuses with a lifetime of the operator: request fields rarely cause them. */
    private boolean isOperatorStatus() {
        return switch (response.status()) {
            case 200, 203, 300, 308, 404, 410 -> true;
            default -> false;
        };
    }

    /** A status that a rule names; not one that the fields of a request can cause. */
    private boolean isNamedStatus() {
        return settings.operator().namesStatus()
                && switch (response.status()) {
                    case 206, 304, 400, 405, 413, 414, 431, 501 -> false;
                    default -> true;
                };
    }

    /** The size of the request's head as in HTTP/1.1. */
    private long headBytes() {
        var bytes = new LongAdder();
        bytes.add(request.method().length() + request.target().length());
        request.fields().forEach((name, value) -> bytes.add(name.length() + value.length() + 4));
        return bytes.sum();
    }

    /** The statuses of RFC 9110, whose caching rules are implemented (RFC 9111 §5.2.2.3). */
    private boolean isUnderstood() {
        int status = response.status();
        return (status >= 200 && status <= 205)
                || (status >= 300 && status <= 308 && status != 306)
                || (status >= 400 && status <= 417)
                || status == 421
                || status == 422
                || status == 426
                || (status >= 500 && status <= 505);
    }
}
