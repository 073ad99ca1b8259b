package dev.quire.test;

import dev.quire.core.expression.Template;
import dev.quire.core.http.Stamp;
import dev.quire.core.parse.EsiNode;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.parse.Span;
import dev.quire.core.parse.Subrequest;
import dev.quire.core.policy.Settings;
import dev.quire.core.policy.SurrogateControl;
import dev.quire.test.internal.Part;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Response;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The includes of a document as the application sent it: the parts a page should have, independent
 * of the assembler's trace.
 */
final class Includes {
    private static final Pattern STAMPED_TAG =
            Pattern.compile("<esi:([A-Za-z0-9_-]{" + Stamp.LENGTH + "}):");

    private final Part part;
    private final byte[] document;
    private final List<Include> found = new ArrayList<>();

    /**
     * One include.
     *
     * @param target its target; empty if it depends on the request
     * @param alt the target of its {@code alt}; empty if absent or if it depends on the request
     * @param hasAlt whether it has an {@code alt}
     * @param isOmittable {@code onerror="continue"}
     * @param isTried whether it is in an attempt, so that an except replaces it
     * @param exceptTexts the text at the start of those excepts, if any
     * @param exceptTargets the targets included by those excepts
     * @param isCertain whether it is unconditional, so that every request fetches it
     * @param isInPlace whether its content is inserted in its place, not elsewhere
     * @param isPlain whether the fragment is inserted byte by byte
     */
    record Include(
            Optional<String> target,
            Optional<String> alt,
            boolean hasAlt,
            boolean isOmittable,
            boolean isTried,
            List<String> exceptTexts,
            List<String> exceptTargets,
            boolean isCertain,
            boolean isInPlace,
            boolean isPlain) {

        /** Whether the author provided for the failure of this fragment. */
        boolean isProvidedFor() {
            return hasAlt || isOmittable || isTried;
        }
    }

    private record Excepts(boolean isTried, List<String> texts, List<String> targets) {
        static final Excepts NONE = new Excepts(false, List.of(), List.of());
    }

    /** How certain it is that content of the document appears in the page, in the same place. */
    private enum Standing {
        CERTAIN,
        /** Conditional: under a condition, in an attempt, in a loop. */
        MAYBE,
        /** Written where its function is called, or its variable is used. */
        ELSEWHERE;

        Standing within(Standing outer) {
            return compareTo(outer) > 0 ? this : outer;
        }
    }

    private Includes(Part part, byte[] document) {
        this.part = part;
        this.document = document;
    }

    /** The includes in the document of {@code part}, in document order; none if it is unknown. */
    static List<Include> of(Part part) {
        var body = part.body();
        if (body == null) {
            return List.of();
        }
        var parser = new EsiParser(reading(part, body.text()));
        parser.feed(ByteBuffer.wrap(body.bytes()));
        var includes = new Includes(part, body.bytes());
        includes.read(parser.finish().nodes(), Standing.CERTAIN, Excepts.NONE);
        return includes.found;
    }

    /** Reads the stamp from the tags; a stored response may no longer have it in its fields. */
    private static ParseOptions reading(Part part, String text) {
        var stamped = STAMPED_TAG.matcher(text);
        if (stamped.find()) {
            return ParseOptions.STANDARD.stamped(new Stamp(stamped.group(1)));
        }
        var control = SurrogateControl.of(part.fields(), Settings.DEFAULT.deviceToken());
        return control.stamps().isEmpty()
                ? ParseOptions.STANDARD
                : ParseOptions.STANDARD.of(ParseOptions.Tags.Unstamped.NONE);
    }

    private void read(List<EsiNode> nodes, Standing standing, Excepts excepts) {
        var maybe = Standing.MAYBE.within(standing);
        for (var node : nodes) {
            switch (node) {
                case EsiNode.Include(var subrequest, var at) -> add(subrequest, standing, excepts);
                case EsiNode.Eval(var subrequest, var own, var at) ->
                        add(subrequest, standing, excepts);
                case EsiNode.Choose choose -> {
                    choose.whens().forEach(when -> read(when.content(), maybe, excepts));
                    read(choose.otherwise(), maybe, excepts);
                }
                case EsiNode.Try attempt -> {
                    var own = attempt.excepts().isEmpty() ? excepts : excepts(attempt);
                    attempt.attempts().forEach(each -> read(each, maybe, own));
                    attempt.excepts().forEach(except -> read(except.content(), maybe, excepts));
                }
                case EsiNode.ForEach loop -> read(loop.content(), maybe, excepts);
                case EsiNode.Region region -> read(region.content(), standing, excepts);
                case EsiNode.AssignContent assign ->
                        read(assign.content(), Standing.ELSEWHERE, excepts);
                case EsiNode.Function function ->
                        read(function.content(), Standing.ELSEWHERE, excepts);
                case EsiNode.Text ignored -> {}
                case EsiNode.Literal ignored -> {}
                case EsiNode.Write ignored -> {}
                case EsiNode.Inline ignored -> {}
                case EsiNode.Assign ignored -> {}
                case EsiNode.Break ignored -> {}
                case EsiNode.Return ignored -> {}
            }
        }
    }

    private void add(Subrequest subrequest, Standing standing, Excepts excepts) {
        boolean isPlain =
                subrequest.terms().region().isEmpty()
                        && subrequest.terms().select().isEmpty()
                        && subrequest.escape().isEmpty()
                        && subrequest.replacements().isEmpty();
        found.add(
                new Include(
                        subrequest.parameters().isEmpty()
                                ? target(subrequest.src())
                                : Optional.empty(),
                        subrequest.alt().flatMap(this::target),
                        subrequest.alt().isPresent(),
                        subrequest.onError() == EsiNode.OnError.CONTINUE,
                        excepts.isTried(),
                        excepts.texts(),
                        excepts.targets(),
                        standing == Standing.CERTAIN,
                        standing != Standing.ELSEWHERE,
                        isPlain));
    }

    private Excepts excepts(EsiNode.Try attempt) {
        var texts = new ArrayList<String>();
        var targets = new ArrayList<String>();
        for (var except : attempt.excepts()) {
            for (var node : except.content()) {
                if (node instanceof EsiNode.Text(var span)) {
                    var text = text(span).strip();
                    if (!text.isEmpty()) {
                        texts.add(text);
                    }
                } else if (node instanceof EsiNode.Include(var subrequest, var at)) {
                    target(subrequest.src()).ifPresent(targets::add);
                }
            }
        }
        return new Excepts(true, List.copyOf(texts), List.copyOf(targets));
    }

    private String text(Span span) {
        var bytes = Arrays.copyOfRange(document, span.start(), span.start() + span.length());
        return Response.of(part.status(), part.fields(), Content.of(bytes)).text();
    }

    /** The target of a fixed URL on the page's own authority. */
    private Optional<String> target(Template address) {
        if (!address.isStatic()) {
            return Optional.empty();
        }
        var text = address.text();
        int mark = text.indexOf('#');
        var plain = mark < 0 ? text : text.substring(0, mark);
        if (plain.startsWith("/") && !plain.startsWith("//")) {
            return Optional.of(plain);
        }
        try {
            var whole = URI.create(part.target()).resolve(plain);
            return whole.getHost() == null && whole.getRawPath().startsWith("/")
                    ? Optional.of(whole.toString())
                    : Optional.empty();
        } catch (IllegalArgumentException noUri) {
            return Optional.empty();
        }
    }
}
