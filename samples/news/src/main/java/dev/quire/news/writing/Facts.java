package dev.quire.news.writing;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What one article has to tell, each fact as it is printed. For one thread, while it is written.
 */
final class Facts {
    private final Map<String, String> printed = new HashMap<>();

    Facts with(String name, String words) {
        printed.put(name, words);
        return this;
    }

    /** A whole number, with commas between thousands. */
    Facts with(String name, long number) {
        return with(name, String.format(Locale.ROOT, "%,d", number));
    }

    /** A number of tenths, printed with one decimal. */
    Facts withTenths(String name, long tenths) {
        return with(name, String.format(Locale.ROOT, "%,.1f", tenths / 10.0).replace('-', '−'));
    }

    /**
     * The fact called {@code name}, capitalised if the name is.
     *
     * @throws IllegalStateException if nobody found it out
     */
    String printed(String name) {
        String plain = name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
        String words = printed.get(plain);
        if (words == null) {
            throw new IllegalStateException(
                    "expected one of the facts " + printed.keySet() + ", found {" + name + "}");
        }
        return plain.equals(name)
                ? words
                : words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
    }
}
