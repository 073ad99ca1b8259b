package dev.quire.core.parse;

import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Expression;
import dev.quire.core.expression.Template;
import dev.quire.core.parse.EsiNode.OnError;
import dev.quire.core.parse.Subrequest.Dca;
import dev.quire.core.parse.Subrequest.Edit;
import dev.quire.core.parse.Subrequest.FieldEdit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An include or eval whose start tag has been read and whose children are still being added. */
final class Call {

    /** Attributes of other implementations that have no effect here. */
    private static final List<String> UNSUPPORTED =
            List.of(
                    "xpath",
                    "stylesheet",
                    "rewriteabsoluteurl",
                    "noparse",
                    "cache-control",
                    "combine",
                    "as-var",
                    "nonce");

    /** Attributes that make no sense for a document processed in place. */
    private static final List<String> NOT_OF_EVAL =
            List.of("alt", "escape", "select", "fragment", "primary");

    private final Element element;
    private final Position at;
    private final Template src;
    private final List<Subrequest.Parameter> parameters = new ArrayList<>();
    private final List<Subrequest.Replacement> replacements = new ArrayList<>();
    private final List<FieldEdit> fields = new ArrayList<>();
    private Optional<Template> alt = Optional.empty();
    private OnError onError = OnError.PAGE_POLICY;
    private boolean isPrimary;
    private Optional<Escape> escape = Optional.empty();
    private Optional<Duration> ttl = Optional.empty();
    private Optional<Duration> staleFor = Optional.empty();
    private boolean isStored = true;
    private Optional<Duration> timeout = Optional.empty();
    private boolean followsRedirects = true;
    private Optional<Template> method = Optional.empty();
    private Optional<Template> body = Optional.empty();
    private Dca dca = Dca.UNSAID;
    private Optional<String> region = Optional.empty();
    private Optional<String> select = Optional.empty();

    private Call(Element element, Position at, Template src) {
        this.element = element;
        this.at = at;
        this.src = src;
    }

    /**
     * Returns the call that the start tag describes. Returns null, and reports it, if {@code src}
     * is missing.
     *
     * @param escape how the fragment is written into its place if the tag does not say
     */
    static @Nullable Call of(Element element, Attributes tag, Optional<Escape> escape) {
        var src = tag.value("src").orElse("");
        if (src.isEmpty()) {
            tag.report("<" + element + "> has no src", PageBuilder.STRIPPED);
            return null;
        }
        var call = new Call(element, tag.at(), tag.expressions().template(src));
        call.escape = escape;
        call.readPlace(tag);
        call.readLifetime(tag);
        call.readRequest(tag);
        for (var name : UNSUPPORTED) {
            if (tag.has(name)) {
                tag.ignored(name, "is not supported");
            }
        }
        return call;
    }

    void parameter(Attributes tag) {
        tag.template("name")
                .ifPresentOrElse(
                        name -> {
                            var value = tag.expressions().expressionOrText(valueOf(tag));
                            parameters.add(new Subrequest.Parameter(name, value));
                        },
                        () -> tag.report("<esi:param> has no name", PageBuilder.STRIPPED));
    }

    /** Adds an {@code <esi:request_header>}. */
    void header(Attributes tag) {
        tag.template("name")
                .ifPresentOrElse(
                        name -> {
                            var pieces = new ArrayList<Expression>(name.pieces());
                            pieces.addAll(Template.of(": ").pieces());
                            pieces.addAll(
                                    tag.expressions().expressionOrText(valueOf(tag)).pieces());
                            fields.add(new FieldEdit(Edit.SET, new Template(pieces)));
                        },
                        () -> tag.report("<esi:request_header> has no name", PageBuilder.STRIPPED));
    }

    /** Sets an {@code <esi:request_body>}; if no method is given, the request becomes a POST. */
    void body(Attributes tag) {
        if (body.isPresent()) {
            tag.report("the request already has a body", PageBuilder.STRIPPED);
            return;
        }
        body = Optional.of(tag.expressions().expressionOrText(valueOf(tag)));
        if (method.isEmpty()) {
            method = Optional.of(Template.of("POST"));
        }
    }

    void replacement(String name, List<EsiNode> content) {
        replacements.add(new Subrequest.Replacement(name, content));
    }

    /** Returns the node with everything added so far. */
    EsiNode node() {
        var terms =
                new Subrequest.Terms(
                        ttl,
                        staleFor,
                        isStored,
                        timeout,
                        followsRedirects,
                        method,
                        body,
                        fields,
                        element == Element.EVAL ? Dca.ESI : dca,
                        region,
                        select);
        var subrequest =
                new Subrequest(
                        src, alt, onError, isPrimary, parameters, terms, escape, replacements);
        return element == Element.EVAL
                ? new EsiNode.Eval(subrequest, dca == Dca.ESI, at)
                : new EsiNode.Include(subrequest, at);
    }

    private void readPlace(Attributes tag) {
        onError =
                tag.word("onerror", "continue", "fail")
                        .map(word -> word.equals("fail") ? OnError.FAIL : OnError.CONTINUE)
                        .orElse(OnError.PAGE_POLICY);
        dca = tag.word("dca", "none", "esi").map(Call::dcaOf).orElse(Dca.UNSAID);
        if (element == Element.EVAL) {
            for (var name : NOT_OF_EVAL) {
                if (tag.has(name)) {
                    tag.ignored(name, "has no meaning on <esi:eval>");
                }
            }
            return;
        }
        alt = tag.template("alt");
        isPrimary = saysYes(tag, "primary", "true", "false");
        escape = tag.escape().or(() -> escape);
        region = tag.text("fragment");
        select = tag.text("select");
    }

    private void readLifetime(Attributes tag) {
        isStored = !saysYes(tag, "no-store", "on", "off");
        ttl = tag.lifetime("ttl");
        var maxAge = tag.value("max-age");
        if (maxAge.isEmpty()) {
            return;
        }
        if (ttl.isPresent()) {
            tag.ignored("max-age", "must not be combined with ttl");
            return;
        }
        var parts = maxAge.get().split("\\+", 2);
        var fresh = Attributes.deltaSeconds(parts[0].strip());
        var stale =
                parts.length == 1
                        ? Optional.of(Duration.ZERO)
                        : Attributes.deltaSeconds(parts[1].strip());
        if (fresh.isEmpty() || stale.isEmpty()) {
            tag.ignored("max-age", "must be a number of seconds, or two separated by +");
            return;
        }
        ttl = fresh;
        staleFor = parts.length == 1 ? Optional.empty() : stale;
    }

    private void readRequest(Attributes tag) {
        timeout = tag.milliseconds("maxwait");
        if (timeout.isPresent() && tag.has("timeout")) {
            tag.ignored("timeout", "must not be combined with maxwait");
        } else if (timeout.isEmpty()) {
            timeout = tag.seconds("timeout");
        }
        followsRedirects = !saysYes(tag, "redirect", "no", "yes");
        method =
                tag.word("method", "GET", "POST", "get", "post")
                        .filter(word -> word.equalsIgnoreCase("POST"))
                        .map(word -> Template.of("POST"));
        body = tag.text("entity").map(tag.expressions()::expressionOrText);
        tag.forEach((name, value) -> {
            var edit = edit(name);
            if (edit != null) {
                field(tag, edit, name, value);
            }
        });
    }

    private void field(Attributes tag, Edit edit, String name, String value) {
        var field = tag.expressions().expressionOrText(value);
        boolean isNamed =
                switch (edit) {
                    case SET, APPEND -> !field.isStatic() || field.text().indexOf(':') > 0;
                    case REMOVE -> !value.isBlank();
                };
        if (isNamed) {
            fields.add(new FieldEdit(edit, field));
        } else {
            tag.ignored(
                    name,
                    edit == Edit.REMOVE
                            ? "must be a field name"
                            : "must be a field as Name: value");
        }
    }

    /**
     * Returns the edit that {@code setheader}, {@code appendheader2}, {@code removeheaders} and the
     * like denote, or null.
     */
    private static @Nullable Edit edit(String attribute) {
        for (var edit : Edit.values()) {
            var name =
                    switch (edit) {
                        case SET -> "setheader";
                        case APPEND -> "appendheader";
                        case REMOVE -> "removeheader";
                    };
            if (attribute.startsWith(name) && isCounted(attribute, name.length())) {
                return edit;
            }
        }
        return null;
    }

    /** Whether only a plural s and a number follow the name. */
    private static boolean isCounted(String attribute, int from) {
        int at = attribute.startsWith("s", from) ? from + 1 : from;
        return attribute.chars().skip(at).allMatch(c -> c >= '0' && c <= '9');
    }

    private static boolean saysYes(Attributes tag, String name, String yes, String no) {
        return tag.word(name, yes, no).filter(yes::equals).isPresent();
    }

    private static Dca dcaOf(String word) {
        return word.equals("esi") ? Dca.ESI : Dca.NONE;
    }

    private static String valueOf(Attributes tag) {
        return tag.value("value").orElse("");
    }
}
