package dev.quire.test;

import dev.quire.core.assemble.Assembly;
import dev.quire.test.wire.Request;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * The application under test, as the assembler of its pages calls it: one request, one reply.
 * Thread-safe.
 */
public interface Application extends AutoCloseable {

    /** The server at {@code url}, over real connections. */
    static Application at(URI url) {
        return new LiveApplication(url, null, () -> {});
    }

    /** Host and port as clients know them, the value of {@code Host}. */
    String authority();

    /**
     * The server at {@code url}, over real connections, which assembles its pages itself.
     *
     * @param reports removes and returns the parts reported for the last request from a port; empty
     *     if there is no report
     */
    static Application at(URI url, IntFunction<Optional<Assembly>> reports) {
        return new LiveApplication(url, reports, () -> {});
    }

    /**
     * Sends a request and waits for the complete reply. If interrupted, it returns {@link
     * Reply.None} soon.
     *
     * @throws AssertionError if the application cannot be called; the message names the remedy
     */
    Reply answer(Request request);

    /**
     * The same for a reader without a surrogate, with the parts that the application reports for
     * the page.
     */
    default Told tell(Request request) {
        return new Told(answer(request), Optional.empty());
    }

    /**
     * The reply of an application that assembles its pages itself.
     *
     * @param page the parts it reports for the page; empty if it reports none
     */
    record Told(Reply reply, Optional<Assembly> page) {}

    /** The handlers it declares cacheable; empty if unknown from outside. */
    default Optional<List<FragmentHandler>> fragments() {
        return Optional.empty();
    }

    /** Removes and returns the names of the request fields that it has read; empty if unknown. */
    default Set<String> takeFieldsRead() {
        return Set.of();
    }

    /**
     * The signature of its readers' variants, which a surrogate has to know; empty if unknown, in
     * which case readers share one variant.
     */
    default Optional<VariantSignature> variants() {
        return Optional.empty();
    }

    /** Releases what was started for it. The application itself belongs to its creator. */
    @Override
    default void close() {}
}
