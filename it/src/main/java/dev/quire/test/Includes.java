package dev.quire.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.expression.Template;
import dev.quire.core.http.Stamp;
import dev.quire.core.parse.EsiNode;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.Reading;
import dev.quire.core.parse.Subrequest;
import dev.quire.core.policy.Settings;
import dev.quire.core.policy.SurrogateControl;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The includes of a document, as it stands in what the application sent: what a page was to be made
 * of, told by its author and not by who assembled it.
 */
final class Includes {
    private static final Pattern STAMPED_TAG =
            Pattern.compile("<esi:([A-Za-z0-9_-]{" + Stamp.LENGTH + "}):");

    private final String base;
    private final byte[] document;
    private final List<Include> found = new ArrayList<>();

    /**
     * One include.
     *
     * @param target what it asks for; empty if that differs from request to request
     * @param alt what it asks for if that fails; empty without or if it differs
     * @param hasAlt whether there is such
     * @param isOmittable {@code onerror="continue"}
     * @param isTried whether it is in an attempt, so that an except stands in for it
     * @param exceptTexts what those excepts begin with, where that is text
     * @param exceptTargets what those excepts ask for
     * @param isCertain whether every request asks for it: it stands under no condition
     * @param isInPlace whether what it brings stands where it does, and is not written elsewhere
     * @param isPlain whether the fragment stands in its place byte by byte
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

        /** Whether the page is as its author wants it without this fragment. */
        boolean isProvidedFor() {
            return hasAlt || isOmittable || isTried;
        }
    }

    /** What stands in for what fails in an attempt. */
    private record Excepts(boolean isTried, List<String> texts, List<String> targets) {
        static final Excepts NONE = new Excepts(false, List.of(), List.of());
    }

    /** How sure it is that what stands in the document stands in the page, in the same place. */
    private enum Standing {
        CERTAIN,
        /** If at all: under a condition, in an attempt, in a loop. */
        MAYBE,
        /** It is written by whoever calls it, or uses what it is assigned to. */
        ELSEWHERE;

        Standing within(Standing outer) {
            return compareTo(outer) > 0 ? this : outer;
        }
    }

    private Includes(String base, byte[] document) {
        this.base = base;
        this.document = document;
    }

    /** Those of the document that {@code part} is, in document order; none if it is not known. */
    static List<Include> of(Part part) {
        var body = part.body();
        if (body == null) {
            return List.of();
        }
        var parser = new EsiParser(reading(part, body.text()));
        parser.feed(ByteBuffer.wrap(body.bytes()));
        var includes = new Includes(part.target(), body.bytes());
        includes.read(parser.finish().nodes(), Standing.CERTAIN, Excepts.NONE);
        return includes.found;
    }

    /** With the stamp its tags bear; it may be gone from the fields of what has been stored. */
    private static Reading reading(Part part, String text) {
        var stamped = STAMPED_TAG.matcher(text);
        if (stamped.find()) {
            return Reading.STANDARD.stamped(new Stamp(stamped.group(1)));
        }
        var control = SurrogateControl.of(part.fields(), Settings.DEFAULT.deviceToken());
        return control.stamps().isEmpty()
                ? Reading.STANDARD
                : Reading.STANDARD.of(Reading.Tags.Unstamped.NONE);
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
                    var text = new String(document, span.start(), span.length(), UTF_8).strip();
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

    /** What a fixed address of the page's own authority asks for. */
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
            var whole = URI.create(base).resolve(plain);
            return whole.getHost() == null && whole.getRawPath().startsWith("/")
                    ? Optional.of(whole.toString())
                    : Optional.empty();
        } catch (IllegalArgumentException noUri) {
            return Optional.empty();
        }
    }
}
