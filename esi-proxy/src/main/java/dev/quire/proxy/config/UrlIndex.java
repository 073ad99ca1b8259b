package dev.quire.proxy.config;

import dev.quire.core.rule.HostPattern;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Values by their matches of URLs, in order. It finds the first value whose match covers another
 * one, without a comparison with matches of other hosts or paths.
 */
final class UrlIndex<T> {
    private final Map<String, List<Entry<T>>> byHost = new HashMap<>();

    /** By the literal text before the first star, of each length. */
    private final NavigableMap<Integer, Map<String, List<Entry<T>>>> byPath = new TreeMap<>();

    private int size;

    private record Entry<T>(int number, T value) {}

    void add(UrlMatch match, T value) {
        var entry = new Entry<>(size++, value);
        for (var host : match.hosts()) {
            byHost.computeIfAbsent(host.text(), text -> new ArrayList<>()).add(entry);
        }
        for (var path : match.paths()) {
            var literal = literal(path.text());
            byPath.computeIfAbsent(literal.length(), length -> new HashMap<>())
                    .computeIfAbsent(literal, text -> new ArrayList<>())
                    .add(entry);
        }
    }

    void clear() {
        byHost.clear();
        byPath.clear();
    }

    /**
     * Returns the first value that {@code covers} accepts.
     *
     * @param covers accepts no value whose match does not cover {@code narrow}
     */
    Optional<T> first(UrlMatch narrow, Predicate<T> covers) {
        // A match that covers the other one covers its first host and its first path.
        var hosts = ofHost(narrow.hosts().getFirst().text());
        var paths = ofPath(literal(narrow.paths().getFirst().text()));
        return (count(hosts) < count(paths) ? hosts : paths)
                .stream()
                        .flatMap(entries ->
                                entries.stream()
                                        .filter(entry -> covers.test(entry.value()))
                                        .findFirst()
                                        .stream())
                        .min(Comparator.comparingInt(Entry::number))
                        .map(Entry::value);
    }

    /** The entries that may cover {@code host}: the same host, its domains, and every host. */
    private List<List<Entry<T>>> ofHost(String host) {
        var found = new ArrayList<List<Entry<T>>>();
        addFound(found, byHost.get("*"));
        for (var name : List.of(host, HostPattern.withoutPort(host)).stream().distinct().toList()) {
            if (!name.equals("*")) {
                addFound(found, byHost.get(name));
            }
            for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
                var domain = "*" + name.substring(dot);
                if (!domain.equals(name)) {
                    addFound(found, byHost.get(domain));
                }
            }
        }
        return found;
    }

    /** The entries that may cover a path pattern: their literal text begins {@code literal}. */
    private List<List<Entry<T>>> ofPath(String literal) {
        var found = new ArrayList<List<Entry<T>>>();
        byPath.headMap(literal.length(), true)
                .forEach((length, texts) ->
                        addFound(found, texts.get(literal.substring(0, length))));
        return found;
    }

    private static <E> void addFound(List<E> all, @Nullable E found) {
        if (found != null) {
            all.add(found);
        }
    }

    private static <T> int count(List<List<Entry<T>>> found) {
        return found.stream().mapToInt(List::size).sum();
    }

    private static String literal(String pattern) {
        int star = pattern.indexOf('*');
        return star < 0 ? pattern : pattern.substring(0, star);
    }
}
