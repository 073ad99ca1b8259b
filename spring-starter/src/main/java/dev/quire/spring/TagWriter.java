package dev.quire.spring;

import dev.quire.core.parse.EsiParser;
import jakarta.servlet.ServletRequest;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Writes the ESI tags of one request, whatever the engine: stamped, so that they and no others run,
 * and noted, so that the page is assembled. Every tag of the starter comes from here.
 *
 * <p>It is an attribute of the request and goes with it through asynchronous dispatches, virtual
 * threads, forwards and error pages.
 */
public final class TagWriter {

    /** The request attribute that holds the writer. */
    static final String ATTRIBUTE = TagWriter.class.getName();

    private static final Pattern ATTRIBUTE_NAME = Pattern.compile("[a-z][a-z0-9_-]*");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,255}");
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_.;-]{1,255}");

    private final String mark;
    private final @Nullable Exchange exchange;

    private TagWriter(String mark, @Nullable Exchange exchange) {
        this.mark = mark;
        this.exchange = exchange;
    }

    /** Makes the tags of {@code request} those of {@code exchange}. */
    static void begin(ServletRequest request, Exchange exchange, Placeholder stamp) {
        request.setAttribute(ATTRIBUTE, new TagWriter(stamp.mark(), exchange));
    }

    /**
     * The writer of {@code request}. Where the starter's filter has not seen the request, tags are
     * written without stamps, and nobody is told of them.
     */
    public static TagWriter of(ServletRequest request) {
        return of(request.getAttribute(ATTRIBUTE));
    }

    /** The writer that is the request attribute {@code known}. */
    static TagWriter of(@Nullable Object known) {
        return known instanceof TagWriter writer ? writer : new TagWriter("", null);
    }

    /**
     * The writer of the request this thread answers.
     *
     * @throws IllegalStateException if it answers none
     */
    static TagWriter current() {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes known) {
            return of(known.getRequest());
        }
        throw new IllegalStateException(
                "ESI markup needs the current request to stamp its tags, but the thread '%s' handles no request (expected a call on the handler's thread, or toHtml(request))"
                        .formatted(Thread.currentThread().getName()));
    }

    /**
     * A start tag.
     *
     * @param element its name behind {@code esi:}
     * @param attributes values as the language reads them, expressions and all; they are escaped
     *     here
     */
    public String start(String element, Map<String, String> attributes) {
        return tag(element, attributes, ">");
    }

    /** A start tag that is its own end. */
    public String empty(String element, Map<String, String> attributes) {
        return tag(element, attributes, "/>");
    }

    /** An end tag. */
    public String end(String element) {
        return "</esi:" + mark + known(element) + ">";
    }

    /**
     * The value of a variable, for text inside {@code vars} or another element whose text is
     * interpolated.
     *
     * @param key of an entry, if the variable is a list of them, such as a cookie's name
     * @param instead if there is no value
     */
    public String reference(String variable, @Nullable String key, @Nullable String instead) {
        noteTag();
        var reference = new StringBuilder("$").append(mark).append('(');
        reference.append(matching(VARIABLE, "variable", variable, "such as HTTP_HOST"));
        if (key != null) {
            reference.append('{').append(matching(KEY, "key", key, "such as edition")).append('}');
        }
        if (instead != null) {
            if (instead.chars().anyMatch(each -> "'\\$<>".indexOf(each) >= 0 || each < ' ')) {
                throw new IllegalArgumentException(
                        "'%s' is not a valid default for a variable (expected text without quotes, backslashes, dollar signs and angle brackets)"
                                .formatted(instead));
            }
            reference.append("|'").append(instead).append('\'');
        }
        return reference.append(')').toString();
    }

    /** Notes that the response has tags. */
    void noteTag() {
        if (exchange != null) {
            exchange.tagWritten();
        }
    }

    /** What stands behind {@code <esi:}, {@code </esi:} and {@code $}; possibly nothing. */
    String mark() {
        return mark;
    }

    private String tag(String element, Map<String, String> attributes, String end) {
        noteTag();
        var tag = new StringBuilder("<esi:").append(mark).append(known(element));
        attributes.forEach((name, value) ->
                tag.append(' ')
                        .append(matching(ATTRIBUTE_NAME, "attribute", name, "such as src"))
                        .append("=\"")
                        .append(escaped(value))
                        .append('"'));
        return tag.append(end).toString();
    }

    private static String known(String element) {
        if (!EsiParser.elements().contains(element)) {
            throw new IllegalArgumentException(
                    "'%s' is not an ESI element (expected for example include)"
                            .formatted(element));
        }
        return element;
    }

    private static String matching(Pattern pattern, String what, String name, String example) {
        if (!pattern.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'%s' is not a valid %s (expected a name %s)".formatted(name, what, example));
        }
        return name;
    }

    /** Only the five characters that mean something in markup. */
    static String escaped(String value) {
        var escaped = new StringBuilder(value.length() + 16);
        for (int i = 0; i < value.length(); i++) {
            switch (value.charAt(i)) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&apos;");
                default -> escaped.append(value.charAt(i));
            }
        }
        return escaped.toString();
    }
}
