package dev.quire.test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A handler of an application that says how its response is cached.
 *
 * @param name by which the application calls it
 * @param handler class and method
 * @param paths where it answers, as path patterns: {@code /fragment/{name}}
 * @param isPage whether what it answers is a page, not a fragment
 * @param isPublic whether its response may be kept for others
 * @param ttl the freshness lifetime it declares; empty for a private one
 * @param tags as declared, expressions and all
 * @param variants what it declares to differ by, beyond its address
 * @param example a target that reaches it; empty where its arguments are not known
 * @param missing the arguments that are missing for an example
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

    /** Whether {@code target} is at one of its paths. */
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
