package dev.quire.news.writing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * How one kind of story is told: wordings of the headline, of the standfirst and of each paragraph
 * in turn. Read from a file whose blocks begin with {@code # headline}, {@code # standfirst} or
 * {@code # paragraph}; each further line of a block is one {@link Phrase}.
 */
record Manuscript(List<Phrase> headline, List<Phrase> standfirst, List<List<Phrase>> paragraphs) {

    /**
     * Reads {@code stories/<name>.txt} from the class path.
     *
     * @throws IllegalStateException naming file and line if it is missing or not of that form
     */
    static Manuscript read(String name) {
        String file = "/stories/" + name + ".txt";
        try (var stream = Manuscript.class.getResourceAsStream(file)) {
            if (stream == null) {
                throw new IllegalStateException("expected " + file + " on the class path");
            }
            var lines = new String(stream.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
            return parse(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    static Manuscript parse(String file, List<String> lines) {
        var headline = new ArrayList<Phrase>();
        var standfirst = new ArrayList<Phrase>();
        var paragraphs = new ArrayList<List<Phrase>>();
        List<Phrase> block = null;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.startsWith("#")) {
                block =
                        switch (line) {
                            case "# headline" -> headline;
                            case "# standfirst" -> standfirst;
                            case "# paragraph" -> {
                                var paragraph = new ArrayList<Phrase>();
                                paragraphs.add(paragraph);
                                yield paragraph;
                            }
                            default ->
                                    throw new IllegalStateException(
                                            "%s:%d: expected # headline, # standfirst or # paragraph, found: %s"
                                                    .formatted(file, i + 1, line));
                        };
            } else if (!line.isEmpty()) {
                if (block == null) {
                    throw new IllegalStateException(
                            "%s:%d: expected # headline first, found: %s"
                                    .formatted(file, i + 1, line));
                }
                block.add(phrase(file, i + 1, line));
            }
        }
        if (headline.isEmpty() || standfirst.isEmpty() || paragraphs.isEmpty()) {
            throw new IllegalStateException(
                    file + ": expected a headline, a standfirst and at least one paragraph");
        }
        return new Manuscript(headline, standfirst, paragraphs);
    }

    private static Phrase phrase(String file, int line, String source) {
        try {
            return Phrase.parse(source);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(file + ":" + line + ": " + e.getMessage(), e);
        }
    }
}
