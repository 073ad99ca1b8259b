package dev.quire.spring;

import dev.quire.spring.internal.fields.SessionIds;
import dev.quire.spring.internal.handler.FragmentRoutes;
import dev.quire.spring.internal.stamp.TagWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.springframework.web.util.UriUtils;

/**
 * ESI markup for JTE, FreeMarker, plain strings and other template engines. Tags cannot be passed
 * in as text: HTML given here stays inert.
 */
public final class Esi {

    private static final Pattern TAG =
            Pattern.compile("<(?=/?esi:|!--esi)", Pattern.CASE_INSENSITIVE);

    private Esi() {}

    /**
     * An include of the fragment at {@code uri}.
     *
     * @param uri a path on this host with its query, as in a link of the page, including the
     *     context path; session ids are removed and dollar signs are not references
     * @throws IllegalArgumentException if it is empty or contains control characters
     */
    public static Include include(String uri) {
        return new Include(
                url("src", uri), Optional.empty(), OnError.PAGE_POLICY, Optional.empty());
    }

    /**
     * An include of a handler's response: {@code Esi.include(NewsFragments.class, c ->
     * c.live(region))}. Path, variables and parameters come from its mapping, with the context path
     * prepended; its {@code timeout} becomes the include's.
     *
     * @param call one call of a method of {@code controller}; the method itself does not run
     * @throws IllegalArgumentException if the handler is not mapped to GET; the message names class
     *     and method
     * @throws IllegalStateException if this thread handles no request
     */
    public static <C> Include include(Class<C> controller, Function<? super C, ?> call) {
        return FragmentRoutes.current().include(controller, call);
    }

    /**
     * An include of the hidden input with the client's CSRF token, for a form on a shared page. It
     * is empty without a token of Spring Security or a session of the client.
     *
     * @throws IllegalStateException if this thread handles no request, or Spring Security is absent
     */
    public static Include csrf() {
        return CsrfInclude.current();
    }

    /** {@code include}, or {@code otherwise} if it fails (ESI 1.0 §3.4). */
    public static Try attempt(Include include, Markup otherwise) {
        return new Try(include, otherwise);
    }

    /**
     * The value of a variable of the request, escaped during assembly.
     *
     * @param name such as {@code HTTP_HOST}
     */
    public static Variable variable(String name) {
        return new Variable(name, Optional.empty(), Optional.empty());
    }

    /**
     * One entry of a list variable.
     *
     * @param name such as {@code HTTP_COOKIE}
     * @param key such as the name of a cookie
     * @param instead default for a missing value
     */
    public static Variable variable(String name, String key, String instead) {
        return new Variable(name, Optional.of(key), Optional.of(instead));
    }

    /** The first branch whose condition is true (ESI 1.0 §3.3); initially without branches. */
    public static Choose choose() {
        return new Choose(List.of(), Optional.empty());
    }

    /**
     * Returns {@code value} as a literal of the expression language, for conditions: {@code
     * "$(HTTP_COOKIE{plan}) == " + Esi.literal(plan)}. Nothing in it is evaluated.
     */
    public static String literal(String value) {
        // a raw string ends at three quotes, so quotes are joined to it in strings of their own
        var raw = value.isEmpty() ? "''" : "'''" + value.replace("'", "''' + \"'\" + '''") + "'''";
        return raw.replace("'''''' + ", "").replace(" + ''''''", "");
    }

    /** Content that is removed during assembly (ESI 1.0 §3.6). */
    public static Remove remove(String html) {
        return new Remove(html);
    }

    /** Custom HTML; ESI tags in it are text. */
    public static Html html(String html) {
        return new Html(html);
    }

    public static All all(Markup... parts) {
        return new All(List.of(parts));
    }

    /**
     * Returns {@code url} as an attribute of an include, with dollar signs encoded: otherwise
     * {@code $(HTTP_COOKIE)} in a parameter typed by a user would be evaluated during assembly.
     */
    public static String url(String attribute, String url) {
        return literalUrl(attribute, url).replace("$", "%24");
    }

    /** Like {@link #url}, for a URL of the page's author, who may write references. */
    public static String literalUrl(String attribute, String url) {
        if (url.isBlank() || url.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "%s of an include is empty or has control characters (expected a path, such as /fragments/live?region=1)"
                            .formatted(attribute));
        }
        return SessionIds.removedFrom(url);
    }

    /** Returns {@code html} without ESI tags, even for surrogates that do not know stamps. */
    private static String inert(String html) {
        return TAG.matcher(html).replaceAll("&lt;");
    }

    /**
     * {@code <esi:include>} (ESI 1.0 §3.1).
     *
     * @param src the fragment
     * @param alternative the fragment used if it fails
     * @param onError action when both fail
     * @param longest longest wait for a response
     */
    public record Include(
            String src, Optional<String> alternative, OnError onError, Optional<Duration> longest)
            implements Markup {

        public Include {
            src = url("src", src);
            alternative = alternative.map(alt -> url("alt", alt));
            longest.ifPresent(Include::requirePositive);
        }

        private static void requirePositive(Duration timeout) {
            if (timeout.toMillis() < 1) {
                throw new IllegalArgumentException(
                        "timeout of an include is %s (expected 1 ms or more)".formatted(timeout));
            }
        }

        /** Returns the include with another alternative. */
        public Include alt(String uri) {
            return new Include(src, Optional.of(uri), onError, longest);
        }

        /** Returns the include with another action on failure. */
        public Include onError(OnError choice) {
            return new Include(src, alternative, choice, longest);
        }

        public Include timeout(Duration most) {
            return new Include(src, alternative, onError, Optional.of(most));
        }

        /** Returns the include with one more query parameter, encoded here. */
        public Include param(String name, Object value) {
            int fragment = src.indexOf('#');
            var path = fragment < 0 ? src : src.substring(0, fragment);
            var separator = path.indexOf('?') < 0 ? '?' : '&';
            return new Include(
                    path + separator + encoded(name) + '=' + encoded(String.valueOf(value)),
                    alternative,
                    onError,
                    longest);
        }

        private static String encoded(String text) {
            return UriUtils.encode(text, StandardCharsets.UTF_8);
        }

        /**
         * Returns this include with HTML that is used when it and its alternative fail.
         *
         * @param html ESI tags in it are text
         */
        public Try fallback(String html) {
            return attempt(this, Esi.html(html));
        }

        @Override
        public String html(TagWriter tags) {
            return tags.empty("include", attributes());
        }

        /** Returns the attributes of the tag, in order. */
        Map<String, String> attributes() {
            var attributes = new LinkedHashMap<String, String>();
            attributes.put("src", src);
            alternative.ifPresent(alt -> attributes.put("alt", alt));
            switch (onError) {
                case CONTINUE -> attributes.put("onerror", "continue");
                case FAIL -> attributes.put("onerror", "fail");
                case PAGE_POLICY -> {}
            }
            longest.ifPresent(most -> attributes.put("maxwait", Long.toString(most.toMillis())));
            return attributes;
        }
    }

    /**
     * {@code <esi:try>}: an include and its fallback. The onerror of the include is dropped, since
     * its failure must trigger the fallback.
     */
    public record Try(Include include, Markup otherwise) implements Markup {

        @Override
        public String html(TagWriter tags) {
            return tags.start("try", Map.of())
                    + tags.start("attempt", Map.of())
                    + include.onError(OnError.PAGE_POLICY).html(tags)
                    + tags.end("attempt")
                    + tags.start("except", Map.of())
                    + otherwise.html(tags)
                    + tags.end("except")
                    + tags.end("try");
        }
    }

    /**
     * {@code <esi:vars>} around a single reference, so that no other text of the page is
     * interpolated.
     *
     * @param key the entry of a list variable
     * @param instead default for a missing value
     */
    public record Variable(String name, Optional<String> key, Optional<String> instead)
            implements Markup {

        /** Returns the variable with the entry selected. */
        public Variable key(String entry) {
            return new Variable(name, Optional.of(entry), instead);
        }

        /** Returns the variable with a default for a missing value. */
        public Variable or(String text) {
            return new Variable(name, key, Optional.of(text));
        }

        @Override
        public String html(TagWriter tags) {
            return tags.start("vars", Map.of())
                    + tags.reference(name, key.orElse(null), instead.orElse(null))
                    + tags.end("vars");
        }
    }

    /** {@code <esi:choose>}. */
    public record Choose(List<When> whens, Optional<Markup> instead) implements Markup {

        public Choose {
            whens = List.copyOf(whens);
        }

        /**
         * Returns the choice with one more branch.
         *
         * @param test an expression, such as {@code $(HTTP_COOKIE{plan}) == 'gold'}; user input in
         *     it needs {@link Esi#literal}
         */
        public Choose when(String test, Markup content) {
            var more = new ArrayList<>(whens);
            more.add(new When(test, content));
            return new Choose(more, instead);
        }

        /** Returns the choice with content for the case that no condition is true. */
        public Choose otherwise(Markup content) {
            return new Choose(whens, Optional.of(content));
        }

        @Override
        public String html(TagWriter tags) {
            if (whens.isEmpty()) {
                throw new IllegalStateException(
                        "esi:choose has no branches (expected Esi.choose().when(test, content))");
            }
            var html = new StringBuilder(tags.start("choose", Map.of()));
            for (var when : whens) {
                html.append(tags.start("when", Map.of("test", when.test())))
                        .append(when.content().html(tags))
                        .append(tags.end("when"));
            }
            instead.ifPresent(content ->
                    html.append(tags.start("otherwise", Map.of()))
                            .append(content.html(tags))
                            .append(tags.end("otherwise")));
            return html.append(tags.end("choose")).toString();
        }
    }

    /** One branch of a choice. */
    public record When(String test, Markup content) {}

    /** {@code <esi:remove>}. */
    public record Remove(String content) implements Markup {

        @Override
        public String html(TagWriter tags) {
            return tags.start("remove", Map.of()) + inert(content) + tags.end("remove");
        }
    }

    /** HTML in which tags are inert. */
    public record Html(String content) implements Markup {

        @Override
        public String html(TagWriter tags) {
            return inert(content);
        }
    }

    /** Several pieces of markup in order. */
    public record All(List<Markup> parts) implements Markup {

        public All {
            parts = List.copyOf(parts);
        }

        @Override
        public String html(TagWriter tags) {
            var html = new StringBuilder();
            parts.forEach(part -> html.append(part.html(tags)));
            return html.toString();
        }
    }
}
