package dev.quire.core.assemble;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.expression.Escape;
import dev.quire.core.policy.CacheKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A site whose fragments are randomly stored, answered at once, or answered later in any order.
 * Targets outside of the site fail.
 */
final class ShuffledSource implements FragmentSource<CountedBody> {

    private static final Failure GONE = new Failure(Side.ORIGIN, Kind.STATUS, 404, "404");

    private record Waiting(String target, Consumer<FragmentAnswer<CountedBody>> receiver) {}

    final List<CountedBody> bodies = new ArrayList<>();
    private final Map<String, String> site;
    private final Random random;
    private final List<Waiting> waiting = new ArrayList<>();

    private final boolean isReread;

    /**
     * @param isReread whether plans of documents are written to bytes and read back
     */
    ShuffledSource(Map<String, String> site, long seed, boolean isReread) {
        this.isReread = isReread;
        this.site = site;
        this.random = new Random(seed);
    }

    /** Answers one waiting request; false if none is waiting. */
    boolean answerOne() {
        if (waiting.isEmpty()) {
            return false;
        }
        var next = waiting.remove(random.nextInt(waiting.size()));
        next.receiver().accept(answer(next.target()));
        return true;
    }

    /** The document or text at {@code target}; the caller owns its reference. */
    CountedBody body(String target, String text) {
        var body =
                text.contains("<esi:") || text.contains("<!--esi")
                        ? CountedBody.document(AssemblerTest.key(target), text)
                        : CountedBody.plain(text);
        return kept(isReread ? body.reread() : body);
    }

    private FragmentAnswer<CountedBody> answer(String target) {
        var text = site.get(target);
        return text == null
                ? new FragmentAnswer.Failed<>(GONE)
                : new FragmentAnswer.Whole<>(body(target, text));
    }

    @Override
    public @Nullable CountedBody stored(FragmentRequest request) {
        var text = site.get(request.key().target());
        return text == null || random.nextInt(3) > 0 ? null : body(request.key().target(), text);
    }

    @Override
    public Fetching fetch(FragmentRequest request, Consumer<FragmentAnswer<CountedBody>> answer) {
        var target = request.key().target();
        if (random.nextInt(4) == 0) {
            answer.accept(answer(target));
            return new Fetching() {};
        }
        var asked = new Waiting(target, answer);
        waiting.add(asked);
        return new Fetching() {
            @Override
            public void cancel() {
                waiting.removeIf(asked::equals);
            }
        };
    }

    @Override
    public CountedBody made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled) {
        return kept(CountedBody.made(new String(bytes, ISO_8859_1), compiled));
    }

    @Override
    public CountedBody escaped(CountedBody body, Escape escape) {
        var escaped = kept(CountedBody.plain(escape.applied(body.text(0, body.length()))));
        body.release();
        return escaped;
    }

    @Override
    public void select(CountedBody body, String selector, Consumer<@Nullable CountedBody> answer) {
        boolean isThere = body.text(0, body.length()).contains(selector);
        body.release();
        answer.accept(isThere ? kept(CountedBody.plain(selector)) : null);
    }

    private CountedBody kept(CountedBody body) {
        bodies.add(body);
        return body;
    }
}
