package dev.quire.proxy.log;

import dev.quire.proxy.config.LogConfig;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which parts of URLs are logged. */
enum LoggedUrls {
    WHOLE {
        @Override
        @Nullable String url(@Nullable String url) {
            return url;
        }

        @Override
        @Nullable String text(@Nullable String text) {
            return text;
        }
    },
    WITHOUT_QUERY {
        @Override
        @Nullable String url(@Nullable String url) {
            int query = url == null ? -1 : url.indexOf('?');
            return query < 0 || url == null ? url : url.substring(0, query);
        }

        @Override
        @Nullable String text(@Nullable String text) {
            return text == null ? null : QUERY.matcher(text).replaceAll("");
        }
    };

    private static final Pattern QUERY = Pattern.compile("\\?\\S*");

    static LoggedUrls of(LogConfig config) {
        return switch (config.query()) {
            case KEEP -> WHOLE;
            case DROP -> WITHOUT_QUERY;
        };
    }

    /** Returns the logged part of a URL or target. */
    abstract @Nullable String url(@Nullable String url);

    /** Returns the logged part of a message, which may contain URLs. */
    abstract @Nullable String text(@Nullable String text);
}
