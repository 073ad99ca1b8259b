package dev.quire.test.wire.internal;

import java.util.Arrays;

/** Error codes of HTTP/2 (RFC 9113 §7). */
public enum ErrorCode {
    NO_ERROR(0),
    PROTOCOL_ERROR(1),
    INTERNAL_ERROR(2),
    FLOW_CONTROL_ERROR(3),
    SETTINGS_TIMEOUT(4),
    STREAM_CLOSED(5),
    FRAME_SIZE_ERROR(6),
    REFUSED_STREAM(7),
    CANCEL(8),
    COMPRESSION_ERROR(9),
    CONNECT_ERROR(10),
    ENHANCE_YOUR_CALM(11),
    INADEQUATE_SECURITY(12),
    HTTP_1_1_REQUIRED(13);

    private final int number;

    ErrorCode(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    /** The code with this number; an unknown one is {@link #INTERNAL_ERROR} (RFC 9113 §7). */
    static ErrorCode of(int number) {
        return Arrays.stream(values())
                .filter(code -> code.number == number)
                .findFirst()
                .orElse(INTERNAL_ERROR);
    }
}
