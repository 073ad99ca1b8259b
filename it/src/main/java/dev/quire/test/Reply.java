package dev.quire.test;

/** What came of asking an application. */
public sealed interface Reply {

    /**
     * A whole response.
     *
     * @param response its fields without those that frame it or speak of the connection, but for
     *     Content-Length
     */
    record Whole(Response response) implements Reply {}

    /**
     * A response that breaks off: the connection ends behind the first {@code bytes} bytes of its
     * body.
     */
    record Cut(Response response, int bytes) implements Reply {}

    /**
     * No response at all.
     *
     * @param why for a reader of the test's output
     */
    record None(String why) implements Reply {}

    /** The status, or 0 without a response. */
    default int status() {
        return switch (this) {
            case Whole(var response) -> response.status();
            case Cut(var response, var bytes) -> response.status();
            case None(var why) -> 0;
        };
    }
}
