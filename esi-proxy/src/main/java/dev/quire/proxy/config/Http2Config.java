package dev.quire.proxy.config;

/**
 * The {@code http2} section: limits of a client connection.
 *
 * @param streams requests in progress at the same time
 * @param windowBytes of one request body that the client may send in advance
 * @param connectionWindowBytes of all request bodies that the client may send in advance
 * @param headerListBytes a longer list of decoded fields is refused (RFC 9113 §6.5.2)
 */
public record Http2Config(
        int streams, int windowBytes, int connectionWindowBytes, int headerListBytes) {
    static final int MAX_STREAMS = 10_000;
    static final int MIN_WINDOW = 16 << 10;
    static final int MAX_WINDOW = 64 << 20;
    static final int MIN_HEADER_LIST = 4 << 10;
    static final int MAX_HEADER_LIST = 256 << 10;

    /** The window of a connection before its first WINDOW_UPDATE (RFC 9113 §6.9.2). */
    static final int MIN_CONNECTION_WINDOW = 64 << 10;

    public static final Http2Config DEFAULTS = new Http2Config(100, 64 << 10, 1 << 20, 32 << 10);

    public Http2Config {
        if (streams < 1 || windowBytes > connectionWindowBytes) {
            throw new IllegalArgumentException(
                    "expected at least one stream, and a connection window of at least the window"
                            + " of a stream");
        }
    }

    /** Reads the section. */
    static Http2Config read(Section section) {
        var defaults = DEFAULTS;
        int streams =
                section.value("streams", ValueParser.number(1, MAX_STREAMS), defaults.streams());
        int window =
                section.value(
                        "window",
                        ValueParser.bytes(MIN_WINDOW, MAX_WINDOW),
                        defaults.windowBytes());
        int connectionWindow =
                section.value(
                        "connection-window",
                        ValueParser.bytes(MIN_CONNECTION_WINDOW, MAX_WINDOW),
                        defaults.connectionWindowBytes());
        if (connectionWindow < window) {
            section.wrong(
                    "connection-window",
                    "http2.connection-window is smaller than http2.window",
                    "at least " + window + "B");
            connectionWindow = window;
        }
        return new Http2Config(
                streams,
                window,
                connectionWindow,
                section.value(
                        "header-list",
                        ValueParser.bytes(MIN_HEADER_LIST, MAX_HEADER_LIST),
                        defaults.headerListBytes()));
    }
}
