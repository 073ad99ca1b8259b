package dev.quire.spring.internal.stamp;

import dev.quire.core.parse.EsiParser;
import jakarta.servlet.ServletRequest;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Writes the ESI tags of one request for any template engine: stamped, so that only they run, and
 * recorded, so that the page is assembled. All tags of the starter are written here.
 *
 * <p>It is a request attribute and is available across asynchronous dispatches, virtual threads,
 * forwards and error pages.
 */
public final class TagWriter {

    /** The request attribute that holds the writer. */
    public static final String ATTRIBUTE = TagWriter.class.getName();

    private static final Pattern ATTRIBUTE_NAME = Pattern.compile("[a-z][a-z0-9_-]*");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,255}");
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_.;-]{1,255}");

    private final String mark;
    private final Runnable written;

    private TagWriter(String mark, Runnable written) {
        this.mark = mark;
        this.written = written;
    }

    /**
     * Gives {@code request} a writer.
     *
     * @param written called before each tag is written; it throws if the response cannot carry tags
     */
    public static void begin(ServletRequest request, Placeholder stamp, Runnable written) {
        request.setAttribute(ATTRIBUTE, new TagWriter(stamp.mark(), written));
    }

    /**
     * Returns the writer of {@code request}. If the starter's filter did not see the request, tags
     * are written without stamps and are not recorded.
     */
    public static TagWriter of(ServletRequest request) {
        return of(request.getAttribute(ATTRIBUTE));
    }

    /** Returns the writer in the request attribute {@code known}. */
    public static TagWriter of(@Nullable Object known) {
        return known instanceof TagWriter writer ? writer : new TagWriter("", () -> {});
    }

    /**
     * Returns the writer of the current request.
     *
     * @throws IllegalStateException if this thread handles no request
     */
    public static TagWriter current() {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes known) {
            return of(known.getRequest());
        }
        throw new IllegalStateException(
                "ESI markup needs the current request to stamp its tags, but the thread '%s' handles no request (expected a call on the handler's thread, or toHtml(request))"
                        .formatted(Thread.currentThread().getName()));
    }

    /**
     * Returns a start tag.
     *
     * @param element its name after {@code esi:}
     * @param attributes values in ESI syntax, including expressions; they are escaped here
     */
    public String start(String element, Map<String, String> attributes) {
        return tag(element, attributes, ">");
    }

    public String empty(String element, Map<String, String> attributes) {
        return tag(element, attributes, "/>");
    }

    public String end(String element) {
        return "</esi:" + mark + known(element) + ">";
    }

    /**
     * Returns a reference to a variable, for text inside {@code vars} or another interpolated
     * element.
     *
     * @param key the entry of a list variable, such as a cookie's name
     * @param instead default for a missing value
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

    public void noteTag() {
        written.run();
    }

    /** Returns the text after {@code <esi:}, {@code </esi:} and {@code $}; possibly empty. */
    public String mark() {
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
                    "'%s' is not an ESI element (expected for example include)".formatted(element));
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

    /** Escapes only the five special characters of markup. */
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
