package dev.quire.core.policy;

/** Why a stale response may have to stand in for the origin's answer (RFC 5861 §4). */
public enum StandInCause {
    /** No whole answer came: refused, reset, cut off, unintelligible or timed out. */
    NO_ANSWER,
    /** The answer was 500, 502, 503 or 504. */
    ERROR_STATUS;

    /** Whether an answer with {@code status} is an {@link #ERROR_STATUS}. */
    public static boolean isErrorStatus(int status) {
        return switch (status) {
            case 500, 502, 503, 504 -> true;
            default -> false;
        };
    }
}
