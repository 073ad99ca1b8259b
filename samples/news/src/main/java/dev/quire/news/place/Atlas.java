package dev.quire.news.place;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Every district of the country, in the order of {@code districts.txt}. The districts of a region
 * share its whole electorate among them.
 */
public record Atlas(List<District> districts) {
    private static final String FILE = "/districts.txt";

    public Atlas {
        districts = List.copyOf(districts);
    }

    /**
     * Reads {@code districts.txt}: a line for each region, {@code REGION: name, name*3, …}, where
     * the number weighs a district's electorate (1 if absent).
     *
     * @throws IllegalStateException if a line is malformed or its region unknown
     */
    public static Atlas load() {
        try (var file = Atlas.class.getResourceAsStream(FILE)) {
            if (file == null) {
                throw new IllegalStateException("expected " + FILE + " on the class path");
            }
            var lines = new String(file.readAllBytes(), StandardCharsets.UTF_8).lines();
            return new Atlas(lines.flatMap(line -> districtsOf(line).stream()).toList());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + FILE, e);
        }
    }

    private static List<District> districtsOf(String line) {
        int colon = line.indexOf(':');
        if (colon < 0) {
            throw new IllegalStateException(FILE + ": expected 'REGION: names', found: " + line);
        }
        var region = Region.valueOf(line.substring(0, colon).strip());
        var entries =
                Arrays.stream(line.substring(colon + 1).split(",", -1)).map(String::strip).toList();
        long whole = entries.stream().mapToInt(Atlas::weight).sum();

        // Cut at rounded running totals, so that the parts add up to the region exactly.
        var districts = new ArrayList<District>();
        long before = 0;
        for (String entry : entries) {
            long after = before + weight(entry);
            int electors =
                    (int) (region.electors() * after / whole - region.electors() * before / whole);
            districts.add(new District(region, printedName(region, name(entry)), electors));
            before = after;
        }
        return districts;
    }

    private static int weight(String entry) {
        int star = entry.indexOf('*');
        return star < 0 ? 1 : Integer.parseInt(entry.substring(star + 1));
    }

    private static String name(String entry) {
        int star = entry.indexOf('*');
        return star < 0 ? entry : entry.substring(0, star);
    }

    private static String printedName(Region region, String name) {
        return region.isMetropolitan() ? region.english() + "’s " + name : name;
    }
}
