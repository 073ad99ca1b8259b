package dev.quire.core.policy;

/** Quire's entry among the hops of a message (RFC 9110 §7.6.3). */
public final class Via {
    /** The pseudonym of this software, in Via and in Cache-Status. */
    public static final String PSEUDONYM = "quire";

    /** The member that Quire adds to Via. */
    public static final String MEMBER = "1.1 " + PSEUDONYM;

    private Via() {}

    /** Returns the number of hops in {@code value}, one line of Via, with Quire's pseudonym. */
    public static int ownHops(String value) {
        int hops = 0;
        for (var member : value.split(",", -1)) {
            var words = member.strip().split("[ \t]+", -1);
            if (words.length > 1 && words[1].equalsIgnoreCase(PSEUDONYM)) {
                hops++;
            }
        }
        return hops;
    }
}
