package dev.quire.it.broken;

import dev.quire.test.Reply;
import dev.quire.test.wire.Request;
import java.util.regex.Pattern;

/** Serves stale responses ten times as long as allowed. */
final class ServesStaleForTooLong extends Defect {
    private static final Pattern GRACE = Pattern.compile("(?<=max-age=\\d{1,9}\\+)\\d+");

    @Override
    Reply taken(Request request, Reply reply) {
        return withField(
                reply,
                "Surrogate-Control",
                value -> GRACE.matcher(value).replaceAll(grace -> grace.group() + "0"));
    }
}
