package dev.quire.core.assemble;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.expression.Escape;
import dev.quire.core.policy.CacheKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Fragments that are stored, answered at once, or answered on the test's call. */
final class ScriptedSource implements FragmentSource<CountedBody> {

    /** Requests in order, by target. */
    final List<String> requested = new ArrayList<>();

    final List<FragmentRequest> requests = new ArrayList<>();
    final List<String> turns = new ArrayList<>();
    final List<String> cancelled = new ArrayList<>();

    /** Target, parent, depth and reason of each refused include. */
    final List<String> refused = new ArrayList<>();

    final List<CountedBody> bodies = new ArrayList<>();

    /** Whether plans of documents are written to bytes and read back before they are used. */
    boolean isReread;

    /** Whether selections are answered only on the test's call. */
    boolean selectsLater;

    private final ArrayDeque<Runnable> selections = new ArrayDeque<>();

    private final Map<String, Supplier<CountedBody>> stored = new HashMap<>();
    private final Map<String, Supplier<FragmentAnswer<CountedBody>>> immediate = new HashMap<>();
    private final Map<String, Runnable> whenTurned = new HashMap<>();
    private final Map<String, Runnable> whenCancelled = new HashMap<>();
    private final Map<String, Consumer<FragmentAnswer<CountedBody>>> waiting =
            new LinkedHashMap<>();

    /** Stores {@code text} for {@code target}; each request gets a new body. */
    void store(String target, String text) {
        stored.put(target, () -> body(target, text));
    }

    /** {@code target} is answered before {@code fetch} returns. */
    void answerAtOnce(String target, Supplier<FragmentAnswer<CountedBody>> answer) {
        immediate.put(target, answer);
    }

    void whenTurned(String target, Runnable action) {
        whenTurned.put(target, action);
    }

    void whenCancelled(String target, Runnable action) {
        whenCancelled.put(target, action);
    }

    @Override
    public void refused(@Nullable CacheKey key, CacheKey parent, int depth, Failure failure) {
        refused.add(
                "%s in %s at %d: %s"
                        .formatted(
                                key == null ? "-" : key.target(),
                                parent.target(),
                                depth,
                                failure.kind()));
    }

    /** Answers the request for {@code target} that is waiting. */
    void answer(String target, String text) {
        answer(target, whole(target, text));
    }

    void fail(String target, Failure failure) {
        answer(target, new FragmentAnswer.Failed<>(failure));
    }

    void answer(String target, FragmentAnswer<CountedBody> answer) {
        var receiver = waiting.remove(target);
        if (receiver == null) {
            throw new IllegalStateException(
                    "no request for " + target + " waits, only " + waiting());
        }
        receiver.accept(answer);
    }

    FragmentAnswer<CountedBody> whole(String target, String text) {
        return new FragmentAnswer.Whole<>(body(target, text));
    }

    /** A body whose only reference the receiver owns; a document if it contains a tag. */
    CountedBody body(String target, String text) {
        var body =
                text.contains("<esi:")
                        ? CountedBody.document(AssemblerTest.key(target), text)
                        : CountedBody.plain(text);
        return kept(isReread ? body.reread() : body);
    }

    private CountedBody kept(CountedBody body) {
        bodies.add(body);
        return body;
    }

    /** The targets that have been requested but not answered. */
    List<String> waiting() {
        return List.copyOf(waiting.keySet());
    }

    @Override
    public @Nullable CountedBody stored(FragmentRequest request) {
        var body = stored.get(request.key().target());
        return body == null ? null : body.get();
    }

    @Override
    public CountedBody made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled) {
        var body = CountedBody.made(new String(bytes, ISO_8859_1), compiled);
        bodies.add(body);
        return body;
    }

    @Override
    public CountedBody escaped(CountedBody body, Escape escape) {
        return instead(body, escape.applied(body.text(0, body.length())));
    }

    /** Selects the text after the selector, to the end of the line. */
    @Override
    public void select(CountedBody body, String selector, Consumer<@Nullable CountedBody> answer) {
        var text = body.text(0, body.length());
        int from = text.indexOf(selector);
        if (from < 0) {
            body.release();
            selections.add(() -> answer.accept(null));
        } else {
            int end = text.indexOf('\n', from);
            var part = instead(body, text.substring(from, end < 0 ? text.length() : end));
            selections.add(() -> answer.accept(part));
        }
        if (!selectsLater) {
            select();
        }
    }

    /** Answers all open selections. */
    void select() {
        while (!selections.isEmpty()) {
            selections.removeFirst().run();
        }
    }

    private CountedBody instead(CountedBody body, String text) {
        body.release();
        var other = CountedBody.plain(text);
        bodies.add(other);
        return other;
    }

    @Override
    public Fetching fetch(FragmentRequest request, Consumer<FragmentAnswer<CountedBody>> receiver) {
        var target = request.key().target();
        requested.add(target);
        requests.add(request);
        var answer = immediate.get(target);
        if (answer == null) {
            waiting.put(target, receiver);
        } else {
            receiver.accept(answer.get());
        }
        return new Fetching() {
            @Override
            public void onTurn() {
                turns.add(target);
                whenTurned.getOrDefault(target, () -> {}).run();
            }

            @Override
            public void cancel() {
                cancelled.add(target);
                whenCancelled.getOrDefault(target, () -> {}).run();
            }
        };
    }
}
