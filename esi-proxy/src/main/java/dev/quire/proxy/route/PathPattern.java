package dev.quire.proxy.route;

/**
 * A pattern over paths: {@code *} stands for any run of characters without {@code /}, {@code **}
 * for any run, everything else for itself. Matching takes time proportional to pattern times path
 * and keeps two positions, whatever the pattern.
 */
public record PathPattern(String text) {

    public PathPattern {
        if (!text.startsWith("/")) {
            throw new IllegalArgumentException("path pattern must start with '/': " + text);
        }
    }

    /** Whether all of {@code path} fits. */
    public boolean matches(String path) {
        /*
         * Only the last star of each kind needs retrying: whatever an earlier one could have taken,
         * the later one can take too. A run of '*' that meets '/' falls back to the last '**'.
         */
        int p = 0;
        int s = 0;
        int star = -1;
        int starAt = 0;
        int any = -1;
        int anyAt = 0;
        while (s < path.length()) {
            if (text.startsWith("**", p)) {
                any = p;
                anyAt = s;
                star = -1;
                p += 2;
            } else if (p < text.length() && text.charAt(p) == '*') {
                star = p;
                starAt = s;
                p += 1;
            } else if (p < text.length() && text.charAt(p) == path.charAt(s)) {
                p++;
                s++;
            } else if (star >= 0 && path.charAt(starAt) != '/') {
                starAt++;
                s = starAt;
                p = star + 1;
            } else if (any >= 0) {
                anyAt++;
                s = anyAt;
                star = -1;
                p = any + 2;
            } else {
                return false;
            }
        }
        while (p < text.length() && text.charAt(p) == '*') {
            p++;
        }
        return p == text.length();
    }
}
