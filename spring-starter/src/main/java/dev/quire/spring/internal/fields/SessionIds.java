package dev.quire.spring.internal.fields;

import java.util.regex.Pattern;

/** Session ids in URLs, as containers write them: {@code /x;jsessionid=1F2E?a=b}. */
public final class SessionIds {

    private static final Pattern ID =
            Pattern.compile(";jsessionid=[^;/?#]*", Pattern.CASE_INSENSITIVE);

    private SessionIds() {}

    public static boolean isIn(String url) {
        return ID.matcher(url).find();
    }

    public static String removedFrom(String url) {
        return ID.matcher(url).replaceAll("");
    }
}
