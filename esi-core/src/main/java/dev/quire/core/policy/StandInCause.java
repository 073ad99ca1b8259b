package dev.quire.core.policy;

/** Why a stale response may be served instead of the origin's (RFC 5861 §4). */
public enum StandInCause {
    /** No complete response: refused, reset, truncated, malformed or timed out. */
    NO_ANSWER,
    /** The response was 500, 502, 503 or 504. */
    ERROR_STATUS,
    /** No complete response yet, after the time that the operator allows. */
    SLOW;

    /** Whether {@code status} is an {@link #ERROR_STATUS}. */
    public static boolean isErrorStatus(int status) {
        return switch (status) {
            case 500, 502, 503, 504 -> true;
            default -> false;
        };
    }
}
