package dev.quire.spring.internal.jsp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import org.springframework.web.util.UriUtils;

/** The URLs of one include, with shared parameters. */
final class Urls {

    private final List<String> parameters = new ArrayList<>();

    /** Adds a parameter to every URL built afterwards. */
    void parameter(String name, String value) {
        parameters.add(UriUtils.encode(name, UTF_8) + "=" + UriUtils.encode(value, UTF_8));
    }

    /**
     * Returns the URL.
     *
     * @param written as in the page; a path with a single leading slash is resolved in {@code
     *     context}
     * @param context context path of an application, empty for the root
     */
    String url(String written, String context) {
        int end = written.indexOf('#');
        var url = end < 0 ? written : written.substring(0, end);
        if (url.startsWith("/") && !url.startsWith("//")) {
            url = context + url;
        }
        if (parameters.isEmpty()) {
            return url;
        }
        return url + (url.indexOf('?') < 0 ? "?" : "&") + String.join("&", parameters);
    }
}
