package dev.quire.core.expression;

/** The properties of a {@code User-Agent} that ESI defines (ESI 1.0 §4.1). */
final class UserAgent {
    private static final String EXPLORER = "MSIE ";

    private UserAgent() {}

    /** {@code MSIE}, {@code MOZILLA} or {@code OTHER}. */
    static String browser(String agent) {
        if (agent.contains(EXPLORER)) {
            return "MSIE";
        }
        return agent.startsWith("Mozilla") ? "MOZILLA" : "OTHER";
    }

    /** The version after {@code MSIE}, else that of the first product; possibly empty. */
    static String version(String agent) {
        int explorer = agent.indexOf(EXPLORER);
        int slash = agent.indexOf('/');
        if (explorer < 0 && slash < 0) {
            return "";
        }
        int start = explorer >= 0 ? explorer + EXPLORER.length() : slash + 1;
        int end = start;
        while (end < agent.length() && " ;,()".indexOf(agent.charAt(end)) < 0) {
            end++;
        }
        return agent.substring(start, end);
    }

    /** {@code WIN}, {@code MAC}, {@code UNIX} or {@code OTHER}. */
    static String system(String agent) {
        if (agent.contains("Win")) {
            return "WIN";
        }
        if (agent.contains("Mac")) {
            return "MAC";
        }
        boolean isUnix = agent.contains("Linux") || agent.contains("BSD") || agent.contains("X11");
        return isUnix ? "UNIX" : "OTHER";
    }
}
