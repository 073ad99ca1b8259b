package dev.quire.it;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * One or more sentences written for people: of a comment, a message or a document.
 *
 * @param line the line of the file it begins in, from 1
 */
record Prose(int line, String text) {

    /** Comments and literals; possessive, so that a long one needs no stack. */
    private static final Pattern JAVA =
            Pattern.compile(
                    "(?s)/\\*(?:[^*]++|\\*(?!/))*+\\*/|//[^\n]*+(?:\n *+//[^\n]*+)*+"
                            + "|\"\"\"(?:[^\"\\\\]++|\\\\.|\"(?!\"\"))*+\"\"\""
                            + "|\"(?:[^\"\\\\\n]++|\\\\.)*+\"|'(?:[^'\\\\]|\\\\.)++'");

    private static final Pattern CODE_OF_JAVADOC =
            Pattern.compile("(?s)\\{@(?:code|link|linkplain|value)\\b[^}]*}|<pre>.*?</pre>");

    private static final Pattern PARAGRAPHS_OF_JAVADOC =
            Pattern.compile("\n\\s*(?:<p>|<li>|@param \\S+|@return|@throws \\S+|\n)");

    private static final Pattern BLOCKS_OF_MARKDOWN = Pattern.compile("(?s)```.*?```");

    private static final Pattern PARAGRAPHS_OF_MARKDOWN =
            Pattern.compile("\n\\s*\n|\n(?=\\s*(?:[-*|]|\\d+\\.) )");

    /** Tags within one line; those over several lines are rare, and kept. */
    private static final Pattern TAGS = Pattern.compile("</?[a-zA-Z][^>\n]*>");

    private static final Pattern EMPTY_LINES = Pattern.compile("\n\\s*\n");

    /** Comments, and content of more than one word. */
    private static final Pattern XML = Pattern.compile("(?s)<!--(.*?)-->|>([^<]+ [^<]+)(?=<)");

    /** Keys whose values are for people, in the metadata of configuration keys. */
    private static final Pattern JSON =
            Pattern.compile(
                    "\"(?:description|reason|notes)\"\\s*:\\s*\"((?:[^\"\\\\]++|\\\\.)*+)\"");

    /** Consecutive lines are one comment. */
    private static final Pattern HASH_COMMENT = comment("#+");

    private static final Pattern DASH_COMMENT = comment("--+");

    private static final Pattern STARRED_COMMENT = Pattern.compile("(?s)/\\*(.*?)\\*/");

    /** A command that prints, with all its arguments. */
    private static final Pattern PRINTED =
            Pattern.compile(
                    "\\b(?:echo|printf|say|die|fail|note)\\s+"
                            + "((?:'[^']*+'|\"(?:[^\"\\\\]++|\\\\.)*+\"|[^\"'\\n;|&])++)");

    private static final Pattern HERE_DOCUMENT =
            Pattern.compile("(?ms)<<-?(['\"]?)(\\w+)\\1[^\n]*\n(.*?)^\\s*\\2$");

    /** Returns the prose of {@code file} with this content; empty for files of unknown types. */
    static List<Prose> of(Path file, String content) {
        var name = file.getFileName().toString();
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "java" -> ofJava(content);
            case "md", "why" -> ofMarkdown(content);
            case "xml", "tld", "html" -> matches(XML, content);
            case "json", "jsonl" -> matches(JSON, content);
            case "yml", "yaml", "properties", "Dockerfile", "vcl" -> matches(HASH_COMMENT, content);
            case "lua", "sql" -> matches(DASH_COMMENT, content);
            case "css", "js" -> matches(STARRED_COMMENT, content);
            default ->
                    name.endsWith(".sh") || content.startsWith("#!")
                            ? ofScript(content)
                            : List.of();
        };
    }

    /** Comments, and string literals of more than one word. */
    private static List<Prose> ofJava(String source) {
        var proses = new ArrayList<Prose>();
        var matcher = JAVA.matcher(source);
        int line = 1;
        int counted = 0;
        while (matcher.find()) {
            line += lines(source, counted, matcher.start());
            counted = matcher.start();
            var token = matcher.group();
            if (token.startsWith("//")) {
                proses.add(new Prose(line, onOneLine(token.replaceAll("(?m)^ *//", ""))));
            } else if (token.startsWith("/*")) {
                var text = token.replaceAll("^/\\*+|\\*+/$", "").replaceAll("\n *\\*", "\n");
                text = CODE_OF_JAVADOC.matcher(text).replaceAll("x");
                for (var paragraph : PARAGRAPHS_OF_JAVADOC.splitAsStream(text).toList()) {
                    proses.add(new Prose(line, onOneLine(paragraph)));
                }
            } else if (token.startsWith("\"\"\"")) {
                var text = TAGS.matcher(token.substring(3, token.length() - 3)).replaceAll("x");
                proses.addAll(paragraphs(EMPTY_LINES, text, line));
            } else if (token.startsWith("\"") && token.contains(" ")) {
                proses.add(new Prose(line, token.substring(1, token.length() - 1)));
            }
        }
        return proses;
    }

    private static List<Prose> ofMarkdown(String markdown) {
        var text = withoutBlocks(markdown).replaceAll("`[^`]*`", "x").replaceAll("(?m)^>.*$", "");
        return paragraphs(PARAGRAPHS_OF_MARKDOWN, text, 1);
    }

    /** Comments, here-documents, and the arguments of commands that print. */
    private static List<Prose> ofScript(String script) {
        var proses = new ArrayList<>(matches(HASH_COMMENT, script));
        proses.addAll(matches(PRINTED, script));
        var documents = HERE_DOCUMENT.matcher(script);
        while (documents.find()) {
            int line = 1 + lines(script, 0, documents.start(3));
            proses.addAll(paragraphs(EMPTY_LINES, documents.group(3), line));
        }
        return proses;
    }

    private static Pattern comment(String start) {
        return Pattern.compile(
                "(?m)((?:^[ \\t]*%1$s .*+\\n?)++)|(?<=\\s)%1$s (.*)$".formatted(start));
    }

    /** The groups of all matches. */
    private static List<Prose> matches(Pattern pattern, String content) {
        var proses = new ArrayList<Prose>();
        var matcher = pattern.matcher(content);
        while (matcher.find()) {
            for (int i = 1; i <= matcher.groupCount(); i++) {
                if (matcher.group(i) != null) {
                    int line = 1 + lines(content, 0, matcher.start(i));
                    var text = matcher.group(i).replaceAll("(?m)^\\s*(?:#+|--+|\\*) ", "");
                    proses.add(new Prose(line, onOneLine(text)));
                }
            }
        }
        return proses;
    }

    /** The paragraphs of {@code text}, whose first line has the number {@code firstLine}. */
    private static List<Prose> paragraphs(Pattern separator, String text, int firstLine) {
        var proses = new ArrayList<Prose>();
        var breaks = separator.matcher(text);
        int start = 0;
        while (start <= text.length()) {
            int end = breaks.find(start) ? breaks.start() : text.length();
            var paragraph = text.substring(start, end);
            proses.add(
                    new Prose(
                            firstLine + lines(text, 0, start),
                            onOneLine(paragraph.replaceFirst("^\\s*(?:[-*|]|\\d+\\.) ", ""))));
            start = end == text.length() ? end + 1 : breaks.end();
        }
        return proses;
    }

    /** Blocks of code become empty lines. */
    static String withoutBlocks(String markdown) {
        return BLOCKS_OF_MARKDOWN
                .matcher(markdown)
                .replaceAll(block -> "\n".repeat(lines(block.group(), 0, block.group().length())));
    }

    private static int lines(String text, int from, int to) {
        return (int) text.substring(from, to).chars().filter(c -> c == '\n').count();
    }

    private static String onOneLine(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }
}
