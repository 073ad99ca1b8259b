package dev.quire.news.editor;

import dev.quire.news.article.Article;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The text of an article as an editor typed it.
 *
 * @param body paragraphs separated by empty lines
 */
record Draft(String headline, String standfirst, String body) {
    private static final int HEADLINE = 300;
    private static final int STANDFIRST = 600;
    private static final int BODY = 8000;

    Draft {
        headline = headline.strip();
        standfirst = standfirst.strip();
        body = body.replace("\r\n", "\n").strip();
    }

    /** The current text of {@code article}, for editing. */
    static Draft of(Article article) {
        return new Draft(
                article.headline(),
                article.standfirst(),
                String.join("\n\n", article.paragraphs()));
    }

    /** An empty draft. */
    static Draft empty() {
        return new Draft("", "", "");
    }

    /** Returns why it cannot be published, or empty if it can. */
    Optional<String> problem() {
        if (headline.isEmpty() || standfirst.isEmpty() || body.isEmpty()) {
            return Optional.of("An article needs a headline, a standfirst and a text.");
        }
        if (headline.length() > HEADLINE
                || standfirst.length() > STANDFIRST
                || body.length() > BODY) {
            return Optional.of(
                    "A headline has at most %d characters, a standfirst %d and a text %d."
                            .formatted(HEADLINE, STANDFIRST, BODY));
        }
        return Optional.empty();
    }

    /** The paragraphs, each on one line. */
    List<String> paragraphs() {
        return Arrays.stream(body.split("\n\\s*\n", -1))
                .map(paragraph -> paragraph.strip().replaceAll("\\s+", " "))
                .toList();
    }
}
