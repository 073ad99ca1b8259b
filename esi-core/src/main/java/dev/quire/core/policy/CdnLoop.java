package dev.quire.core.policy;

/**
 * Quire's member of CDN-Loop (RFC 8586), which detects loops through origins that get no {@code
 * Via}.
 */
public final class CdnLoop {
    public static final String FIELD = "CDN-Loop";

    /** The member that Quire adds. */
    public static final String MEMBER = Via.PSEUDONYM;

    private CdnLoop() {}

    /** Whether {@code value}, one line of CDN-Loop, has a member of Quire, with any parameters. */
    public static boolean names(String value) {
        for (var member : value.split(",", -1)) {
            int end = member.indexOf(';');
            var id = end < 0 ? member : member.substring(0, end);
            if (id.strip().equalsIgnoreCase(MEMBER)) {
                return true;
            }
        }
        return false;
    }
}
