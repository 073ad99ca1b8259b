package dev.quire.proxy.admin;

import dev.quire.core.expression.SearchPattern;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What is to be hidden: everything stored that meets all of the conditions.
 *
 * @param host {@code HOST}, {@code HOST:PORT}, {@code *.DOMAIN}, or {@code *} for every host; in
 *     lower case
 * @param path found anywhere in the path of a URL, unless it anchors itself
 * @param tag as origins gave it
 * @param contentType without parameters; {@code image/*} is every image; in lower case
 * @param status of the stored response
 * @param olderThan for how long it has been stored without having been validated, at least
 * @param dryRun whether what is met is only counted
 */
public record BanRequest(
        Optional<String> host,
        Optional<SearchPattern> path,
        Optional<String> tag,
        Optional<String> contentType,
        Optional<Integer> status,
        Optional<Duration> olderThan,
        boolean dryRun) {

    private static final Pattern HOST =
            Pattern.compile(
                    "\\*|(\\*\\.)?[a-z0-9._-]+(:[0-9]{1,5})?|\\[[0-9a-f:.]+](:[0-9]{1,5})?");
    private static final Pattern TAG = Pattern.compile("[!-~]{1,256}");
    private static final Pattern CONTENT_TYPE =
            Pattern.compile("[a-z0-9!#$&^_.+-]{1,127}/([a-z0-9!#$&^_.+-]{1,127}|\\*)");

    /**
     * @throws InvalidRequest if there is no condition, or one that nothing could meet
     */
    public BanRequest {
        host = host.map(text -> text.toLowerCase(Locale.ROOT));
        contentType = contentType.map(text -> text.toLowerCase(Locale.ROOT));
        if (host.isEmpty()
                && path.isEmpty()
                && tag.isEmpty()
                && contentType.isEmpty()
                && status.isEmpty()
                && olderThan.isEmpty()) {
            throw new InvalidRequest(
                    "nothing is named",
                    "at least one of host, path, tag, contentType, status, olderThan;"
                            + " host: \"*\" is everything");
        }
        check("host", host, HOST, "HOST, HOST:PORT, *.DOMAIN or *");
        check("tag", tag, TAG, "1 to 256 visible ASCII characters");
        check(
                "contentType",
                contentType,
                CONTENT_TYPE,
                "a media type such as text/html or image/*");
        if (status.isPresent() && (status.get() < 200 || status.get() > 999)) {
            throw new InvalidRequest("status: " + status.get() + " is none", "200 to 999");
        }
    }

    private static void check(
            String member, Optional<String> value, Pattern allowed, String expected) {
        if (value.isPresent() && !allowed.matcher(value.get()).matches()) {
            throw new InvalidRequest(member + ": '" + value.get() + "' is none", expected);
        }
    }
}
