package dev.quire.test;

import dev.quire.core.assemble.Assembly;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * The application under test, as whatever assembles its pages meets it: one request, one reply.
 * Several threads at a time.
 */
public interface Application extends AutoCloseable {

    /** The server at {@code url}, over real connections. */
    static Application at(URI url) {
        return new LiveApplication(url, null);
    }

    /** Host and port as its clients know them, which is what {@code Host} says. */
    String authority();

    /**
     * The server at {@code url}, over real connections, which tells {@code recorder} what the pages
     * are made of that it has assembled itself.
     */
    static Application at(URI url, AssemblyRecorder recorder) {
        return new LiveApplication(url, recorder);
    }

    /**
     * Asks it and waits for all of its reply. An interrupt says that nobody waits any longer:
     * {@link Reply.None} comes soon.
     *
     * @throws AssertionError if it cannot be asked at all, saying what is to be done about that
     */
    Reply answer(Request request);

    /** The same for a reader who comes without a surrogate, with what it tells of the page. */
    default Told tell(Request request) {
        return new Told(answer(request), Optional.empty());
    }

    /**
     * What came of asking an application that assembles its pages itself.
     *
     * @param page what it tells that the page is made of; empty if it does not tell
     */
    record Told(Reply reply, Optional<Assembly> page) {}

    /** The handlers it declares cacheable; empty where that cannot be known from outside. */
    default Optional<List<FragmentHandler>> fragments() {
        return Optional.empty();
    }

    /** The same, of which it is known that it declares {@code handlers}. */
    default Application declaring(List<FragmentHandler> handlers) {
        return new DeclaringApplication(this, handlers);
    }

    /**
     * What signs the variants of its readers, which whatever stands in front has to know; empty
     * where it is not known, so that readers are not told apart.
     */
    default Optional<VariantSignature> variants() {
        return Optional.empty();
    }

    /** Ends what was started for it; the application itself is whoever's who started it. */
    @Override
    default void close() {}
}
