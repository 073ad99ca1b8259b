package dev.quire.proxy.config;

import dev.quire.core.http.FieldSyntax;
import dev.quire.core.rule.EndingAction;
import dev.quire.core.rule.FieldEdits;
import dev.quire.core.rule.FixedAnswer;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.TemplateParser;
import dev.quire.core.rule.TemplateParser.SyntaxError;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the action of a rule that ends the request phase, of which there is at most one. */
final class EndingReader {
    private static final String TYPE = "text/html; charset=utf-8";

    private static final ValueParser<Integer> REDIRECT_STATUS =
            new ValueParser<>(
                    "301, 302, 303, 307 or 308",
                    text ->
                            switch (text) {
                                case "301", "302", "303", "307", "308" ->
                                        Optional.of(Integer.parseInt(text));
                                default -> Optional.empty();
                            },
                    String::valueOf,
                    new ValueForm(
                            "status",
                            "301, 302, 303, 307 or 308",
                            Map.of("enum", List.of(301, 302, 303, 307, 308))));

    private static final ValueParser<String> MEDIA_TYPE =
            ValueParser.scalar(
                    "media type",
                    "a media type, such as text/html; charset=utf-8",
                    "[!-.0-~]+/[!-.0-~]+(;.*)?",
                    text -> {
                        int end = text.indexOf(';');
                        var type = end < 0 ? text : text.substring(0, end).strip();
                        return ValueParser.MEDIA_TYPE.reading().apply(type).isPresent()
                                        && FieldSyntax.isValue(text)
                                ? Optional.of(text)
                                : Optional.empty();
                    });

    /** 401 and 407 need fields that only a login sends. */
    private static final ValueParser<Integer> DENIAL =
            new ValueParser<>(
                    "a status from 400 to 599, but not 401 (that of auth) and 407",
                    text ->
                            ValueParser.number(400, 599)
                                    .reading()
                                    .apply(text)
                                    .filter(status -> status != 401 && status != 407),
                    String::valueOf,
                    ValueForm.number(400, 599));

    private final TemplateParser parser;

    EndingReader(TemplateParser parser) {
        this.parser = parser;
    }

    /**
     * @param rule its name
     */
    @Nullable EndingAction ending(Section section, String rule) {
        var found = new ArrayList<EndingAction>();
        var present = new ArrayList<String>();
        if (section.has("redirect")) {
            present.add("redirect");
            section.section("redirect", this::redirect).ifPresent(found::add);
        }
        if (section.has("respond")) {
            present.add("respond");
            section.section("respond", this::respond).ifPresent(found::add);
        }
        section.optional("deny", DENIAL).map(EndingAction.Deny::new).ifPresent(found::add);
        if (section.hasAny(List.of("deny"))) {
            present.add("deny");
        }
        var access = new AccessReader(parser);
        if (section.has("limit")) {
            present.add("limit");
            section.section("limit", inner -> access.limit(inner, rule)).ifPresent(found::add);
        }
        if (section.has("auth")) {
            present.add("auth");
            section.section("auth", access::login).ifPresent(found::add);
        }
        if (present.size() > 1) {
            section.refuse(
                    present.getLast(),
                    "cannot be combined with " + present.getFirst(),
                    "one action that ends the rules");
        }
        return found.isEmpty() ? null : found.getFirst();
    }

    private Optional<EndingAction> redirect(Section section) {
        var to = section.required("to", RuleTexts.location(parser));
        int status = section.value("status", REDIRECT_STATUS, 302);
        return to.map(location -> new EndingAction.Redirect(location, status));
    }

    private Optional<EndingAction> respond(Section section) {
        int status = section.value("status", ValueParser.number(200, 599), 200);
        var type = section.value("type", MEDIA_TYPE, TYPE);
        var text = section.optional("body", ValueParser.TEXT);
        var file = section.optional("file", file(section.directory()));
        if (text.isPresent() && file.isPresent()) {
            section.wrong("file", "cannot be combined with body", "one of the two");
        }
        var body =
                file.map(content -> content.bytes)
                        .or(() -> text.map(it -> it.getBytes(StandardCharsets.UTF_8)));
        boolean isBodiless = status == 204 || status == 205 || status == 304;
        if (isBodiless && body.isPresent()) {
            section.wrong(
                    file.isPresent() ? "file" : "body",
                    "cannot be sent with status " + status,
                    "another status");
        }
        var fields =
                section.values(
                        "fields", RuleTexts.once(responseField()), RuleTexts.fieldValue(parser));
        return Optional.of(
                new EndingAction.Respond(
                        new FixedAnswer(
                                status, body.isPresent() ? type : null, body.orElse(new byte[0])),
                        new FieldEdits(
                                Phase.DELIVER, List.of(), List.of(), RuleHead.lines(fields))));
    }

    /** The name of a field of the response; its type, and what the framing needs, are closed. */
    private static ValueParser<String> responseField() {
        var open = RuleTexts.openField(Phase.DELIVER, true);
        return ValueParser.compiled(
                "field",
                open.expected(),
                name -> {
                    if (name.equalsIgnoreCase("Content-Type")) {
                        throw new SyntaxError(0, "is set by type", "type: MEDIA-TYPE");
                    }
                    if (name.equalsIgnoreCase("Cache-Control")) {
                        return name;
                    }
                    var fault = open.fault().apply(name);
                    if (fault.isPresent()) {
                        throw fault.get();
                    }
                    return name;
                });
    }

    /** A file that has been read. */
    private static final class Content {
        private final String name;
        private final byte[] bytes;

        Content(String name, byte[] bytes) {
            this.name = name;
            this.bytes = bytes;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** The content of a file, whose name may be relative to {@code directory}. */
    private static ValueParser<Content> file(Path directory) {
        var expected = "a file of at most 1MiB, relative to the configuration file";
        return ValueParser.compiled(
                "file",
                expected,
                text -> {
                    try {
                        return new Content(
                                text, NamedFile.read(directory.resolve(text), text, expected));
                    } catch (InvalidPathException e) {
                        throw new SyntaxError(0, "is not the name of a file", expected);
                    }
                });
    }
}
