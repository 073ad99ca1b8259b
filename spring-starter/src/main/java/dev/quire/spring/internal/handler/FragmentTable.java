package dev.quire.spring.internal.handler;

import dev.quire.spring.FragmentPolicy;
import dev.quire.spring.internal.policy.TagTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats all fragments as a table for the log. */
public final class FragmentTable {

    private static final List<String> HEAD = List.of("name", "where", "scope", "ttl", "tags");

    private FragmentTable() {}

    /** Returns a head and one line per fragment. */
    public static String of(List<MappedFragment> fragments) {
        if (fragments.isEmpty()) {
            return "no handler has a caching policy (annotate one with @EsiFragment or @EsiPage)";
        }
        var rows = new ArrayList<List<String>>();
        rows.add(HEAD);
        for (var fragment : fragments) {
            var policy = fragment.policy();
            rows.add(
                    List.of(
                            policy.name(),
                            String.join(" ", fragment.routes()),
                            policy.isNeverEsi()
                                    ? "never"
                                    : policy.scope().name().toLowerCase(Locale.ROOT),
                            policy.isPrivate() ? "" : times(policy),
                            String.join(
                                    " ",
                                    policy.tags().stream().map(TagTemplate::source).toList())));
        }
        var widths = new int[HEAD.size()];
        for (var row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        var table = new StringBuilder("fragments of this application, see ");
        table.append(FragmentCatalogue.PATH);
        for (var row : rows) {
            var line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
            }
            table.append(System.lineSeparator())
                    .append("  ")
                    .append(line.toString().stripTrailing());
        }
        return table.toString();
    }

    /** Returns freshness lifetime and, after a plus sign, grace: {@code 30s+60s}. */
    static String times(FragmentPolicy policy) {
        var stale = policy.stale();
        return policy.ttl().toSeconds()
                + "s"
                + (stale.isPresent() ? "+" + stale.get().toSeconds() + "s" : "");
    }
}
