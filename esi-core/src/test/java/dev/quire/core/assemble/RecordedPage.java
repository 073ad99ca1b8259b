package dev.quire.core.assemble;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.parse.Position;
import dev.quire.core.policy.CacheKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Records the output of a page and all calls to its consumer. */
final class RecordedPage implements PageConsumer<CountedBody> {

    /** A flowing fragment, with a name chosen by the test. */
    static final class Stream implements FragmentStream {
        final String name;
        boolean cancelled;

        Stream(String name) {
            this.name = name;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    final List<Failure.Kind> omitted = new ArrayList<>();
    final List<String> joined = new ArrayList<>();
    final List<String> problems = new ArrayList<>();
    final List<ResponseEdits> amended = new ArrayList<>();
    final List<Failure> failures = new ArrayList<>();
    int personal;
    int primaryStatus;
    int progressed;
    int finished;

    /** How many more writes are accepted. */
    int room = Integer.MAX_VALUE;

    Runnable whenProgressed = () -> {};
    Runnable whenOmitted = () -> {};
    Runnable whenJoined = () -> {};
    Runnable whenWritten = () -> {};
    Runnable whenFinished = () -> {};

    /** The rest of the page, if it waits for its next turn. */
    final ArrayDeque<Runnable> turns = new ArrayDeque<>();

    /** Whether the page takes turns with others. */
    boolean takesTurns;

    private final StringBuilder output = new StringBuilder();

    /** Returns everything written so far; a flowing fragment as its name in braces. */
    String output() {
        return output.toString();
    }

    @Override
    public boolean isWritable() {
        return room > 0;
    }

    @Override
    public void write(CountedBody body, int start, int end) {
        room--;
        output.append(body.text(start, end));
        whenWritten.run();
    }

    @Override
    public void write(byte[] text) {
        room--;
        output.append(new String(text, ISO_8859_1));
        whenWritten.run();
    }

    @Override
    public void isPersonal() {
        personal++;
    }

    @Override
    public void problem(CacheKey document, String what) {
        problems.add(document.target() + ": " + what);
    }

    @Override
    public void amended(ResponseEdits edits, int status) {
        assertThat(output).isEmpty();
        amended.add(edits);
        primaryStatus = status;
    }

    @Override
    public void failed(Failure failure) {
        assertThat(output).isEmpty();
        failures.add(failure);
    }

    @Override
    public void write(FragmentStream stream) {
        room--;
        output.append('{').append(((Stream) stream).name).append('}');
        whenWritten.run();
    }

    @Override
    public void joined(CountedBody fragment) {
        joined.add(fragment.text(0, fragment.length()));
        whenJoined.run();
    }

    @Override
    public void joined(FragmentStream fragment) {
        joined.add(((Stream) fragment).name);
        whenJoined.run();
    }

    @Override
    public void omitted(Position include, Failure failure) {
        omitted.add(failure.kind());
        whenOmitted.run();
    }

    @Override
    public void progressed() {
        progressed++;
        whenProgressed.run();
    }

    @Override
    public boolean later(Runnable rest) {
        if (takesTurns) {
            turns.addLast(rest);
        }
        return takesTurns;
    }

    @Override
    public void finished() {
        finished++;
        whenFinished.run();
    }
}
