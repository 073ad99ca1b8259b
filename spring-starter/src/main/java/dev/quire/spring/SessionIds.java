package dev.quire.spring;

import java.util.regex.Pattern;

/** Session ids in URLs, as containers write them: {@code /x;jsessionid=1F2E?a=b}. */
final class SessionIds {

    private static final Pattern ID =
            Pattern.compile(";jsessionid=[^;/?#]*", Pattern.CASE_INSENSITIVE);

    private SessionIds() {}

    static boolean isIn(String url) {
        return ID.matcher(url).find();
    }

    static String removedFrom(String url) {
        return ID.matcher(url).replaceAll("");
    }
}
