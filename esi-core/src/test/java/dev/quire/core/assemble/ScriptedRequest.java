package dev.quire.core.assemble;

import dev.quire.core.expression.Evaluation;
import dev.quire.core.expression.Evaluation.Problems;
import dev.quire.core.expression.Value;
import dev.quire.core.expression.Value.Source;
import dev.quire.core.expression.Variables;
import dev.quire.core.policy.CacheKey;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A request with variables set by the test. */
final class ScriptedRequest implements PageInputs {
    private final Map<String, Value> values = new HashMap<>();

    /** {@code $(name)}, as if it came from the request line. */
    ScriptedRequest with(String name, String value) {
        return with(name, value, Source.ADDRESS);
    }

    ScriptedRequest with(String name, String value, Source source) {
        values.put(name, new Value.Text(value, source));
        return this;
    }

    @Override
    public Evaluation evaluation(Problems problems) {
        return new Evaluation(Instant.EPOCH, new Random(1), problems);
    }

    @Override
    public Variables variables(CacheKey key) {
        return new Variables() {
            @Override
            public Value value(String name, @Nullable String part) {
                return name.equals("REQUEST_PATH")
                        ? new Value.Text(key.target(), Source.ADDRESS)
                        : values.getOrDefault(name, Value.Null.NULL);
            }

            @Override
            public Source source(String name) {
                return values.get(name) instanceof Value.Text text ? text.source() : Source.ADDRESS;
            }
        };
    }
}
