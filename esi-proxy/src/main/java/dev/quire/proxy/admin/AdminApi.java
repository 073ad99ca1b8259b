package dev.quire.proxy.admin;

import dev.quire.core.http.DurationText;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.Ban;
import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.config.Token;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * The endpoints of the admin API: authorization and responses. Independent of Netty. {@link
 * #refusal} needs only the request head; {@link #answer} may block.
 */
final class AdminApi implements Endpoints {
    private static final int MAX_BODY_BYTES = 1 << 20;

    private static final String YAML = "application/yaml";

    private final AdminActions actions;
    private final Supplier<Optional<Token>> token;
    private final FailedLogins failedLogins = new FailedLogins();
    private final Probes probes;
    private final ConfigurationApi configurations;
    private final TiersApi tiers;
    private final FleetAnswers fleet;

    AdminApi(AdminActions actions, Supplier<Optional<Token>> token) {
        this.actions = actions;
        this.probes = new Probes(actions);
        this.configurations = new ConfigurationApi(actions.configurations());
        this.tiers = new TiersApi(actions);
        this.fleet = new FleetAnswers(actions);
        this.token = token;
    }

    private enum Endpoint {
        HEALTH("/healthz", "GET, HEAD"),
        READINESS("/readyz", "GET, HEAD"),
        METRICS("/metrics", "GET, HEAD"),
        PURGE("/v1/purge", "POST"),
        BANS("/v1/bans", "GET, HEAD, POST"),
        /** One ban; the path ends with its number. */
        BAN("/v1/bans/", "DELETE"),
        STATS("/v1/stats", "GET, HEAD"),
        CACHE("/v1/cache", "GET, HEAD"),
        CONFIG("/v1/config", "GET, HEAD, POST"),
        RELOAD("/v1/config/reload", "POST"),
        CONFIRM("/v1/config/confirm", "POST"),
        ROLLBACK("/v1/config/rollback", "POST"),
        GENERATIONS("/v1/config/generations", "GET, HEAD"),
        TIERS("/v1/tiers", "GET, HEAD"),
        DISK("/v1/tiers/disk", "POST"),
        FLEET("/v1/fleet", "GET, HEAD"),
        TLS("/v1/tls", "GET, HEAD"),
        TLS_RELOAD("/v1/tls/reload", "POST"),
        DRAIN("/v1/drain", "POST"),
        HANDOVER("/v1/handover", "POST");

        final String path;
        final String allowed;

        Endpoint(String path, String allowed) {
            this.path = path;
            this.allowed = allowed;
        }

        static Optional<Endpoint> at(String path) {
            for (var endpoint : values()) {
                if (endpoint.path.equals(path)) {
                    return endpoint == BAN ? Optional.empty() : Optional.of(endpoint);
                }
            }
            return path.startsWith(BAN.path) ? Optional.of(BAN) : Optional.empty();
        }

        boolean allows(String method) {
            return List.of(allowed.split(", ")).contains(method);
        }

        /** Whether balancers and collectors ask it, some of which add parameters. */
        boolean isForProbes() {
            return this == HEALTH || this == READINESS || this == METRICS;
        }

        boolean hasParameters() {
            return switch (this) {
                case BAN, CACHE, CONFIG, RELOAD, ROLLBACK -> true;
                default -> false;
            };
        }

        boolean hasBody(String method) {
            return switch (this) {
                case PURGE, DISK -> true;
                case BANS, CONFIG -> method.equals("POST");
                default -> false;
            };
        }
    }

    @Override
    public OptionalLong delayNanos(long now) {
        return failedLogins.delayNanos(now);
    }

    @Override
    public int maxBodyBytes() {
        return MAX_BODY_BYTES;
    }

    @Override
    public Optional<AdminAnswer> refusal(AdminHead head) {
        var required = token.get();
        if (required.isPresent()) {
            if (!isAuthorized(head, required.get())) {
                return Optional.of(
                        AdminAnswer.text(
                                401,
                                "401 expected the admin token as Authorization: Bearer",
                                Map.of("www-authenticate", "Bearer realm=\"quire\"")));
            }
        } else if (!isForLoopback(head)) {
            // A web page of another site can reach this port through its own name (DNS rebinding).
            return Optional.of(
                    AdminAnswer.text(403, "403 expected a loopback address or localhost as Host"));
        }
        var endpoint = Endpoint.at(head.path());
        if (endpoint.isEmpty()) {
            return Optional.of(AdminAnswer.text(404, "404 no such endpoint"));
        }
        if (!endpoint.get().allows(head.method())) {
            return Optional.of(
                    AdminAnswer.text(
                            405,
                            "405 expected " + endpoint.get().allowed,
                            Map.of("allow", endpoint.get().allowed)));
        }
        if (actions.isReplaced() && head.path().startsWith("/v1/")) {
            // A purge of the cache that is no longer in use would be lost.
            return Optional.of(
                    AdminAnswer.text(
                            503, "503 another process has taken over (expected a new connection)"));
        }
        if (head.method().equals("POST")) {
            // A form of another site can send neither type without a CORS preflight.
            var type = endpoint.get() == Endpoint.CONFIG ? YAML : "application/json";
            if (!isOfType(head.contentType(), type)) {
                return Optional.of(AdminAnswer.text(415, "415 expected Content-Type: " + type));
            }
            if (endpoint.get() == Endpoint.CONFIG && required.isEmpty()) {
                return Optional.of(
                        AdminAnswer.text(
                                403,
                                "403 a configuration is accepted with a token only (expected"
                                        + " admin.token-file)"));
            }
        }
        return Optional.empty();
    }

    @Override
    public AdminAnswer answer(AdminHead head, byte[] body) {
        var endpoint =
                Endpoint.at(head.path())
                        .orElseThrow(() -> new IllegalStateException("not refused: " + head));
        try {
            refuseUnread(endpoint, head, body);
            return switch (endpoint) {
                case HEALTH -> probes.health();
                case READINESS -> probes.readiness();
                case METRICS -> probes.metrics();
                case PURGE -> purge(body);
                case BANS -> head.method().equals("POST") ? ban(body) : bans();
                case BAN -> liftBan(head);
                case STATS -> AdminAnswer.json(actions.stats());
                case CACHE -> cache(head);
                case CONFIG ->
                        head.method().equals("POST")
                                ? configurations.use(head, body)
                                : configurations.current(head);
                case RELOAD -> configurations.reload(head);
                case CONFIRM -> configurations.confirm();
                case ROLLBACK -> configurations.rollback(head);
                case GENERATIONS -> configurations.generations();
                case TIERS -> tiers.tiers();
                case DISK -> tiers.change(body);
                case FLEET -> fleet.state();
                case TLS -> certificates();
                case TLS_RELOAD -> reloadCertificates();
                case DRAIN -> drain();
                case HANDOVER -> handOver();
            };
        } catch (InvalidRequest e) {
            return AdminAnswer.text(400, "400 " + e.getMessage());
        }
    }

    /**
     * Without this a dry run or a trial could become the real thing.
     *
     * @throws InvalidRequest if the request has a parameter or member that nothing reads
     */
    private static void refuseUnread(Endpoint endpoint, AdminHead head, byte[] body) {
        if (endpoint.isForProbes()) {
            return;
        }
        if (!endpoint.hasParameters()) {
            QueryParameters.read(head.query(), List.of());
        }
        if (body.length > 0 && !endpoint.hasBody(head.method())) {
            JsonBody.read(body, List.of());
        }
    }

    /** The numbers of purged responses, with the options of the request. */
    private record Purged(
            long urls, long tags, long hosts, long paths, boolean soft, boolean dryRun) {}

    private record PurgedUncounted(boolean soft, boolean count) {}

    private record Cached(String url, List<StoredVariant> variants) {}

    private AdminAnswer purge(byte[] body) {
        var request = PurgeRequest.read(body);
        var covered = actions.purge(request);
        if (covered.isEmpty()) {
            return fleet.invalidated(new PurgedUncounted(request.soft(), false), request.ack());
        }
        var counts = covered.get();
        var purged =
                new Purged(
                        counts.urls(),
                        counts.tags(),
                        counts.hosts(),
                        counts.paths(),
                        request.soft(),
                        request.dryRun());
        return request.dryRun()
                ? AdminAnswer.json(purged)
                : fleet.invalidated(purged, request.ack());
    }

    private record Banned(long id) {}

    private record Counted(long objects, boolean dryRun) {}

    private record Lifted(long id, boolean lifted) {}

    private record Bans(List<BanShown> bans) {}

    private record BanShown(
            long id, Map<String, Object> condition, Duration age, long hidden, boolean completed) {

        static BanShown of(Ban ban, Instant now) {
            var condition = new LinkedHashMap<String, Object>();
            var made = ban.condition();
            made.host().ifPresent(host -> condition.put("host", host.text()));
            made.path().ifPresent(path -> condition.put("path", path.text()));
            made.tag().ifPresent(tag -> condition.put("tag", tag));
            made.contentType().ifPresent(type -> condition.put("contentType", type));
            made.status().ifPresent(status -> condition.put("status", status));
            made.olderThan().ifPresent(time -> condition.put("olderThan", DurationText.of(time)));
            var patterns = made.patterns();
            patterns.host().ifPresent(host -> condition.put("hostPattern", host.text()));
            patterns.url().ifPresent(url -> condition.put("urlPattern", url.text()));
            patterns.contentType()
                    .ifPresent(type -> condition.put("contentTypePattern", type.text()));
            patterns.tags().ifPresent(tags -> condition.put("tagsPattern", tags.text()));
            return new BanShown(
                    ban.number(),
                    condition,
                    Duration.between(ban.since(), now),
                    ban.hidden(),
                    ban.isCompleted());
        }
    }

    private AdminAnswer ban(byte[] body) {
        var request = BanRequest.read(body);
        if (request.dryRun()) {
            return AdminAnswer.json(new Counted(actions.wouldHide(request.condition()), true));
        }
        var id = actions.ban(request.condition());
        return id.isPresent()
                ? fleet.invalidated(new Banned(id.getAsLong()), request.ack())
                : AdminAnswer.text(
                        429,
                        "429 too many active bans (expected fewer; combine several into one, or"
                                + " retry when some have completed)",
                        Map.of("retry-after", "5"));
    }

    private AdminAnswer bans() {
        var now = actions.now();
        return AdminAnswer.json(
                new Bans(actions.bans().stream().map(ban -> BanShown.of(ban, now)).toList()));
    }

    private AdminAnswer liftBan(AdminHead head) {
        var number = head.path().substring(Endpoint.BAN.path.length());
        if (!number.matches("[0-9]{1,18}")) {
            return AdminAnswer.text(404, "404 invalid ban number (expected 1 to 18 digits)");
        }
        long id = Long.parseLong(number);
        var parameters = QueryParameters.read(head.query(), List.of(FleetAnswers.ACK));
        var ack = FleetAnswers.ack(parameters.value(FleetAnswers.ACK));
        return actions.liftBan(id)
                ? fleet.invalidated(new Lifted(id, true), ack)
                : AdminAnswer.text(404, "404 no active ban has the number " + id);
    }

    private AdminAnswer cache(AdminHead head) {
        var key = urlOf(head.query());
        if (key.isEmpty()) {
            return AdminAnswer.text(
                    400, "400 the query does not begin with url= (expected ?url=URL)");
        }
        var variants = actions.stored(key.get());
        return variants.isEmpty()
                ? AdminAnswer.text(404, "404 no stored response for " + key.get().url())
                : AdminAnswer.json(new Cached(key.get().url(), variants));
    }

    private record Certificates(List<ShownCertificate> certificates) {}

    private AdminAnswer certificates() {
        return AdminAnswer.json(new Certificates(actions.certificates()));
    }

    private AdminAnswer reloadCertificates() {
        var faults = actions.reloadCertificates();
        return faults.isEmpty() ? certificates() : AdminAnswer.lines(409, faults);
    }

    private record Draining(boolean draining) {}

    private AdminAnswer drain() {
        actions.drain();
        return AdminAnswer.json(new Draining(true));
    }

    private record Offered(String socket) {}

    private AdminAnswer handOver() {
        return switch (actions.handOver()) {
            case HandoverReply.Offered(var socket) ->
                    AdminAnswer.json(new Offered(socket.toString()));
            case HandoverReply.Conflict(var what, var expected) ->
                    AdminAnswer.text(409, "409 " + what + " (expected " + expected + ")");
            case HandoverReply.Unavailable(var what, var expected) ->
                    AdminAnswer.text(501, "501 " + what + " (expected " + expected + ")");
        };
    }

    /** A URL that is not encoded extends to the end of the query, including {@code &}. */
    private static Optional<CacheKey> urlOf(String query) {
        if (!query.startsWith("url=")) {
            return Optional.empty();
        }
        var value = query.substring("url=".length());
        if (value.indexOf(':') >= 0) {
            return Optional.of(PurgeRequest.key("url", value));
        }
        try {
            // A plus is literal: this is a URL, not a form.
            var decoded = URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
            return Optional.of(PurgeRequest.key("url", decoded));
        } catch (IllegalArgumentException e) {
            throw e instanceof InvalidRequest known
                    ? known
                    : new InvalidRequest(
                            "url: '" + value + "' is malformed",
                            "percent-encoding (RFC 3986 §2.1)");
        }
    }

    private static boolean isAuthorized(AdminHead head, Token token) {
        return head.authorizations().size() == 1 && token.isIn(head.authorizations().getFirst());
    }

    private static boolean isForLoopback(AdminHead head) {
        if (head.hosts().size() != 1) {
            return false;
        }
        var host = head.hosts().getFirst();
        boolean withoutPort = host.endsWith("]") || host.indexOf(':') < 0;
        try {
            return HostPort.parse(withoutPort ? host + ":0" : host).isLoopback();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isOfType(String contentType, String expected) {
        int parameters = contentType.indexOf(';');
        var type = parameters < 0 ? contentType : contentType.substring(0, parameters);
        return type.strip().toLowerCase(Locale.ROOT).equals(expected);
    }
}
