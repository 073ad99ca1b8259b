package dev.quire.proxy.admin;

import dev.quire.core.expression.SearchPattern;
import dev.quire.core.rule.HostPattern;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.config.TimeText;
import dev.quire.proxy.fleet.Ack;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A request for a ban.
 *
 * @param dryRun whether matching responses are only counted
 * @param ack what the answer waits for; empty for the default
 */
record BanRequest(BanCondition condition, boolean dryRun, Optional<Ack> ack) {
    private static final List<String> MEMBERS =
            List.of(
                    "host",
                    "path",
                    "tag",
                    "contentType",
                    "status",
                    "olderThan",
                    "dryRun",
                    FleetAnswers.ACK);

    private static final Pattern HOST =
            Pattern.compile(
                    "\\*|(\\*\\.)?[a-z0-9._-]+(:[0-9]{1,5})?|\\[[0-9a-f:.]+](:[0-9]{1,5})?");
    private static final Pattern TAG = Pattern.compile("[!-~]{1,256}");
    private static final Pattern CONTENT_TYPE =
            Pattern.compile("[a-z0-9!#$&^_.+-]{1,127}/([a-z0-9!#$&^_.+-]{1,127}|\\*)");

    /**
     * Parses the JSON of {@code POST /v1/bans}.
     *
     * @throws InvalidRequest if a condition is missing or cannot match anything
     */
    static BanRequest read(byte[] body) {
        var json = JsonBody.read(body, MEMBERS);
        var host = json.text("host").map(text -> text.toLowerCase(Locale.ROOT));
        var path = json.text("path").map(BanRequest::expression);
        var tag = json.text("tag");
        var contentType = json.text("contentType").map(text -> text.toLowerCase(Locale.ROOT));
        var status = json.number("status");
        var olderThan = json.text("olderThan").map(BanRequest::duration);
        boolean dryRun = json.truth("dryRun");
        var ack = FleetAnswers.ack(json.text(FleetAnswers.ACK));
        if (Stream.of(host, path, tag, contentType, status, olderThan)
                .allMatch(Optional::isEmpty)) {
            throw new InvalidRequest(
                    "no condition is given",
                    "at least one of host, path, tag, contentType, status, olderThan;"
                            + " host: \"*\" matches every response");
        }
        check("host", host, HOST, "HOST, HOST:PORT, *.DOMAIN or *");
        check("tag", tag, TAG, "1 to 256 visible ASCII characters");
        check(
                "contentType",
                contentType,
                CONTENT_TYPE,
                "a media type such as text/html or image/*");
        if (status.isPresent() && (status.get() < 200 || status.get() > 999)) {
            throw new InvalidRequest("status: " + status.get() + " is out of range", "200 to 999");
        }
        return new BanRequest(
                new BanCondition(
                        host.map(HostPattern::new), path, tag, contentType, status, olderThan),
                dryRun,
                ack);
    }

    private static SearchPattern expression(String text) {
        if (text.isEmpty() || text.length() > BanCondition.MAX_EXPRESSION) {
            throw new InvalidRequest(
                    "path has " + text.length() + " characters",
                    "1 to " + BanCondition.MAX_EXPRESSION);
        }
        try {
            return SearchPattern.of(text, BanCondition.MAX_PROGRAM);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequest(
                    "path: " + e.getMessage(),
                    "an RE2 expression of at most " + BanCondition.MAX_PROGRAM + " instructions");
        }
    }

    private static Duration duration(String text) {
        return TimeText.read(text)
                .orElseThrow(() ->
                        new InvalidRequest(
                                "olderThan: '" + text + "' is not a duration",
                                "a duration such as 200ms, 15s, 5m, 1h or 7d"));
    }

    private static void check(
            String member, Optional<String> value, Pattern allowed, String expected) {
        if (value.isPresent() && !allowed.matcher(value.get()).matches()) {
            throw new InvalidRequest(member + ": '" + value.get() + "' is malformed", expected);
        }
    }
}
