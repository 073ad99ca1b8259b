package dev.quire.core.parse;

import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Random documents similar to ESI: parts of tags, whole tags, and text between them. */
public final class Soup {

    private static final List<String> NAMES =
            List.of(
                    "include",
                    "remove",
                    "comment",
                    "vars",
                    "choose",
                    "when",
                    "otherwise",
                    "try",
                    "attempt",
                    "except",
                    "text",
                    "assign",
                    "foreach",
                    "break",
                    "function",
                    "return",
                    "inline",
                    "fragment",
                    "replace",
                    "param",
                    "eval",
                    "foo",
                    "request_header",
                    "request_body");

    private static final List<String> ATTRIBUTES =
            List.of(
                    " src=\"/a\"",
                    " src='b?c=1&amp;d=&lt;'",
                    " src=/e",
                    " src=\"$(HTTP_HOST)\"",
                    " alt=\"/x\"",
                    " onerror=\"continue\"",
                    " test=\"$(a) > 1\"",
                    " test='1 =='",
                    " name=\"n\"",
                    " name='d{key}'",
                    " value=\"[1..3]\"",
                    " value='$(a)'",
                    " collection=\"{'a': 1}\"",
                    " code=\"404\"",
                    " item=\"i\"",
                    " dca=\"esi\"",
                    " open=\"",
                    " ='",
                    " =",
                    "\t\n",
                    " \u00ff");

    private static final List<String> CRUMBS =
            List.of(
                    "<",
                    ">",
                    "/",
                    "\"",
                    "'",
                    "=",
                    " ",
                    "\n",
                    "-",
                    "--",
                    "-->",
                    "->",
                    "<!--",
                    "<!-",
                    "<!--esi",
                    "<!--es",
                    "<![CDATA[",
                    "]]>",
                    "]]",
                    "]",
                    "<e",
                    "<es",
                    "<esi",
                    "<esi:",
                    "</esi:",
                    "</es",
                    "</",
                    "/>",
                    "<p>",
                    "</p>",
                    "<a href='x'>",
                    "&amp;",
                    "\u0000",
                    "\u00e9",
                    "$",
                    "$(",
                    "$(HTTP_HOST)",
                    "$(QUERY_STRING{'a'}|'b')",
                    "$len('x')",
                    "$f($(ARGS))",
                    "\\$",
                    "\\",
                    ")",
                    "}",
                    "text",
                    "<ESI:include src=\"/no\"/>");

    private Soup() {}

    /** One char for each byte. */
    public static Arbitrary<String> documents() {
        return pieces().list().ofMaxSize(60).map(Soup::joined);
    }

    private static Arbitrary<String> pieces() {
        return Arbitraries.frequencyOf(
                Tuple.of(4, Arbitraries.of(CRUMBS)),
                Tuple.of(4, startTags()),
                Tuple.of(3, Arbitraries.of(NAMES).map(name -> "</esi:" + name + ">")),
                Tuple.of(
                        1, Arbitraries.strings().withCharRange('\u0000', '\u00ff').ofMaxLength(5)));
    }

    private static Arbitrary<String> startTags() {
        return Combinators.combine(
                        Arbitraries.of(NAMES),
                        Arbitraries.of(ATTRIBUTES).list().ofMaxSize(3),
                        Arbitraries.of(">", "/>", " />", "", "<"))
                .as((name, attributes, end) -> "<esi:" + name + joined(attributes) + end);
    }

    private static String joined(List<String> pieces) {
        return pieces.stream().collect(Collectors.joining());
    }
}
