package dev.quire.test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A handler of an application with a declared caching policy.
 *
 * @param name its name in the application
 * @param handler class and method
 * @param paths its path patterns: {@code /fragment/{name}}
 * @param isPage whether its response is a page, not a fragment
 * @param isPublic whether its response may be stored for other readers
 * @param ttl the declared freshness lifetime; empty for a private one
 * @param tags as declared, with expressions
 * @param variants the declared variants, apart from its URL
 * @param example a target that reaches it; empty if its argument values are unknown
 * @param missing the arguments without a value for an example
 */
public record FragmentHandler(
        String name,
        String handler,
        List<String> paths,
        boolean isPage,
        boolean isPublic,
        Optional<Duration> ttl,
        List<String> tags,
        List<String> variants,
        Optional<String> example,
        List<String> missing) {

    private static final Pattern PART = Pattern.compile("\\{[^}]*}|\\*\\*|\\*");

    public FragmentHandler {
        paths = List.copyOf(paths);
        tags = List.copyOf(tags);
        variants = List.copyOf(variants);
        missing = List.copyOf(missing);
    }

    boolean answers(String target) {
        int query = target.indexOf('?');
        var path = query < 0 ? target : target.substring(0, query);
        return paths.stream().anyMatch(pattern -> isAt(path, pattern));
    }

    private static boolean isAt(String path, String pattern) {
        var regex = new StringBuilder();
        var parts = PART.matcher(pattern);
        int from = 0;
        while (parts.find()) {
            regex.append(Pattern.quote(pattern.substring(from, parts.start())));
            regex.append(
                    parts.group().startsWith("{*") || parts.group().equals("**") ? ".*" : "[^/]*");
            from = parts.end();
        }
        return path.matches(regex.append(Pattern.quote(pattern.substring(from))).toString());
    }
}
