package dev.quire.test;

import dev.quire.test.wire.Response;

/** The outcome of a request to an application. */
public sealed interface Reply {

    /**
     * A complete response.
     *
     * @param response without fields for framing and the connection, except Content-Length
     */
    record Whole(Response response) implements Reply {}

    /**
     * A truncated response: the connection ends after the first {@code bytes} bytes of its body.
     */
    record Cut(Response response, int bytes) implements Reply {}

    /**
     * No response.
     *
     * @param why the reason, for messages
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
