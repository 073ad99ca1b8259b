package dev.quire.core.expression;

import dev.quire.core.expression.Value.Source;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A request with hostile values everywhere, and a namespace to evaluate expressions in. Client
 * values start a tag; secrets are easy to find.
 */
final class HostileRequest implements Variables {

    static final String TAG = "<img src=x>";
    static final String SECRET = "sEcReT";

    final List<String> problems = new ArrayList<>();
    final Scope scope =
            new Scope(
                    this,
                    new Evaluation(
                            Instant.parse("2026-11-20T12:00:00Z"), new Random(1), problems::add));

    @Override
    public Value value(String name, @Nullable String key) {
        return switch (name) {
            case "HTTP_HOST", "QUERY_STRING", "REQUEST_PATH" ->
                    new Value.Text(TAG + key, Source.ADDRESS);
            case "HTTP_COOKIE" ->
                    "session".equals(key)
                            ? new Value.Text(SECRET, Source.SECRET)
                            : new Value.Text(TAG + "21", Source.CLIENT);
            case "HTTP_AUTHORIZATION" -> new Value.Text(SECRET, Source.SECRET);
            case "HTTP_X" -> new Value.Text("7", Source.CLIENT);
            default -> Value.Null.NULL;
        };
    }

    @Override
    public Source source(String name) {
        return switch (name) {
            case "HTTP_AUTHORIZATION" -> Source.SECRET;
            case "HTTP_HOST", "QUERY_STRING", "REQUEST_PATH" -> Source.ADDRESS;
            default -> Source.CLIENT;
        };
    }
}
