package dev.quire.proxy.config;

import dev.quire.core.rule.TemplateParser.SyntaxError;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The text of a configuration, with those of the files that it includes: they are read once, when
 * the configuration is built for the first time. Thread-safe.
 */
public final class ConfigurationText {

    /** A longer text, in bytes of UTF-8, is not a configuration. */
    public static final int MAX_BYTES = ConfigurationFile.MAX_BYTES;

    private final String name;
    private final String text;
    private final boolean isFile;

    /** By pattern, and by name. */
    private final Map<String, List<Path>> matches = new HashMap<>();

    private final Map<Path, String> included = new HashMap<>();

    private ConfigurationText(String name, String text, boolean isFile) {
        this.name = name;
        this.text = text;
        this.isFile = isFile;
    }

    /** Returns the text of a file, which may include others. */
    static ConfigurationText ofFile(Path path, String text) {
        return new ConfigurationText(path.toString(), text, true);
    }

    /**
     * Returns a text that is not a file, and so includes none.
     *
     * @param name the place of its problems
     */
    public static ConfigurationText of(String name, String text) {
        return new ConfigurationText(name, text, false);
    }

    /** The name of the file, or of another source; the place of its problems. */
    public String name() {
        return name;
    }

    public String text() {
        return text;
    }

    /** Whether it may include files. */
    boolean isFile() {
        return isFile;
    }

    /** Returns the files that match {@code pattern}, searched once. */
    synchronized List<Path> matches(String pattern, Search search) {
        var known = matches.get(pattern);
        if (known == null) {
            known = search.files();
            matches.put(pattern, known);
        }
        return known;
    }

    /** Returns the content of an included file, read once. */
    synchronized String included(Path file, Reading reading) throws SyntaxError {
        var known = included.get(file);
        if (known == null) {
            known = reading.text(file);
            included.put(file, known);
        }
        return known;
    }

    /**
     * Whether the texts are the same, with those of the included files; both have been built. Their
     * sources do not matter.
     */
    public boolean isSameAs(ConfigurationText other) {
        return text.equals(other.text) && readFiles().equals(other.readFiles());
    }

    private synchronized Map<Path, String> readFiles() {
        return Map.copyOf(included);
    }

    /** Finds files. */
    interface Search {
        List<Path> files();
    }

    /** Reads a file. */
    interface Reading {
        String text(Path file) throws SyntaxError;
    }

    /** Not printed: it may contain secrets. */
    @Override
    public String toString() {
        return "ConfigurationText[" + name + "]";
    }
}
