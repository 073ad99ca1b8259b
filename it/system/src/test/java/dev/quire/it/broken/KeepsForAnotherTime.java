package dev.quire.it.broken;

import dev.quire.test.Reply;
import dev.quire.test.wire.Request;
import java.util.regex.Pattern;

/** Stores everything for a multiple, or a part, of its freshness lifetime. */
final class KeepsForAnotherTime extends Defect {
    private static final Pattern FRESH = Pattern.compile("(?<=max-age=)\\d+");

    private final double factor;

    KeepsForAnotherTime(double factor) {
        this.factor = factor;
    }

    @Override
    Reply taken(Request request, Reply reply) {
        return withField(
                reply,
                "Surrogate-Control",
                value ->
                        FRESH.matcher(value)
                                .replaceAll(time ->
                                        String.valueOf(
                                                (long) (factor * Long.parseLong(time.group())))));
    }
}
