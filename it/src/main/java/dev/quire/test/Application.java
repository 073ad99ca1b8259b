package dev.quire.test;

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
        return new LiveApplication(url);
    }

    /** Host and port as its clients know them, which is what {@code Host} says. */
    String authority();

    /** Asks it and waits for all of its reply. */
    Reply answer(Request request);

    /** The handlers it declares cacheable; empty where that cannot be known from outside. */
    default Optional<List<FragmentHandler>> fragments() {
        return Optional.empty();
    }

    /** The same, of which it is known that it declares {@code handlers}. */
    default Application declaring(List<FragmentHandler> handlers) {
        return new DeclaringApplication(this, handlers);
    }

    /** Ends what was started for it; the application itself is whoever's who started it. */
    @Override
    default void close() {}
}
