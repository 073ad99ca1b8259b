package dev.quire.proxy.config;

/**
 * The {@code limits} section.
 *
 * @param bodyBytes a longer request body is refused; 0 for no limit
 * @param requestLineBytes a longer request line is refused (RFC 9112 §3)
 * @param fieldBytes a longer field line is refused (RFC 6585 §5)
 * @param headBytes a longer head, request line and fields together, is refused
 * @param fields more field lines are refused
 */
public record LimitsConfig(
        long bodyBytes, int requestLineBytes, int fieldBytes, int headBytes, int fields) {

    /** The largest limit of a request line, and so of a URL. */
    public static final int MAX_REQUEST_LINE = 64 << 10;

    static final int MIN_BYTES = 1 << 10;
    static final int MAX_HEAD = 1 << 20;
    static final int MIN_FIELDS = 16;
    static final int MAX_FIELDS = 2000;

    public static final LimitsConfig DEFAULTS =
            new LimitsConfig(16 << 20, 8 << 10, 16 << 10, 64 << 10, 200);

    public LimitsConfig {
        if (requestLineBytes > headBytes || fieldBytes > headBytes) {
            throw new IllegalArgumentException(
                    "expected a head of at least the limits of a request line and of a field: "
                            + headBytes);
        }
    }
}
