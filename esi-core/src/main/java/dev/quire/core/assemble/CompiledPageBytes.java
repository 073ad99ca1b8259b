package dev.quire.core.assemble;

import dev.quire.core.assemble.CompiledPage.Rules;
import dev.quire.core.assemble.Plan.Part;
import dev.quire.core.assemble.ValueCodecs.Codec;
import dev.quire.core.expression.PatternAllowance;
import dev.quire.core.expression.SearchPattern;
import dev.quire.core.parse.EsiNode;
import dev.quire.core.parse.Position;
import dev.quire.core.parse.Span;
import dev.quire.core.parse.Subrequest;
import dev.quire.core.policy.CacheKey;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The binary form of a {@link CompiledPage}, stored next to its text so that it need not be parsed
 * again. It refers to text by offsets, and only contains that of inline documents and values.
 */
public final class CompiledPageBytes {

    /*
     * format: 8 bytes   version, and the types of all values
     * rules:  8 bytes   hash of the parsing rules
     * page              whether it must be whole; its fixed plan, else its nodes
     * check:  4 bytes   CRC-32C of all before
     *
     * Values are written by their types, see ValueCodecs. The name of the page is not written: it
     * may contain values of a client, and its reader knows it. Facts about nodes, such as fragments
     * that are the same in every request, are computed again: so they always fit the nodes, and an
     * address that the rules would deny is never accepted.
     *
     * The checksum detects accidents. Forged bytes with a valid checksum are read without harm, but
     * a page that no parser would produce may fail when it is assembled.
     */

    /** To be incremented when the encoding of values, or the meaning of documents, changes. */
    private static final int VERSION = 3;

    private static final int HEADER_BYTES = 2 * Long.BYTES;
    private static final int CHECK_BYTES = Integer.BYTES;

    private static final Codec<Position> POSITION;
    private static final Codec<List<EsiNode>> NODES;
    private static final Codec<List<Part>> PARTS;
    private static final long FORMAT;

    static {
        var shapes = new ValueCodecs();
        shapes.put(EsiNode.Inline.class, CompiledPageBytes::writeInline, CompiledPageBytes::inline);
        shapes.put(
                Span.class,
                (span, out) -> {
                    out.number(span.start());
                    out.number(span.end());
                },
                CompiledPageBytes::span);
        shapes.put(
                SearchPattern.class,
                (pattern, out) -> {
                    out.text(pattern.text());
                    out.number(pattern.flags());
                },
                CompiledPageBytes::pattern);
        shapes.putConstant(Subrequest.Terms.NONE);
        shapes.putConstant(FragmentTerms.NONE);
        POSITION = shapes.of(Position.class);
        NODES = shapes.listOf(EsiNode.class);
        PARTS = shapes.listOf(Part.class);
        FORMAT = VERSION ^ shapes.fingerprint();
    }

    private CompiledPageBytes() {}

    /** Returns a number that changes with the format: only plans of the same one can be read. */
    public static long format() {
        return FORMAT;
    }

    /** Encodes {@code page}; the same version of this library can decode it. */
    public static byte[] write(CompiledPage page) {
        var out = new PlanOutput(page);
        writePage(page, out);
        var body = out.bytes();
        int end = HEADER_BYTES + body.length;
        var bytes = ByteBuffer.allocate(end + CHECK_BYTES);
        bytes.putLong(FORMAT).putLong(hash(page.rules())).put(body);
        return bytes.putInt(check(bytes.array(), end)).array();
    }

    /**
     * Decodes a page.
     *
     * @param base the resource that the page was compiled for
     * @param textBytes length of the document's text, to which its nodes refer
     * @param rules the current rules for reading the document
     * @throws UnreadablePlanException if the bytes are damaged, or were written by another version
     *     or under other rules: the document must be parsed again
     */
    public static CompiledPage read(byte[] bytes, CacheKey base, int textBytes, Rules rules)
            throws UnreadablePlanException {
        int end = bytes.length - CHECK_BYTES;
        if (end < HEADER_BYTES) {
            throw new UnreadablePlanException("too few bytes");
        }
        var values = ByteBuffer.wrap(bytes).limit(end);
        if (values.getLong() != FORMAT) {
            throw new UnreadablePlanException("unknown format version");
        }
        if (values.getLong() != hash(rules.forAssembled())) {
            throw new UnreadablePlanException("written under different parsing rules");
        }
        if (ByteBuffer.wrap(bytes).getInt(end) != check(bytes, end)) {
            throw new UnreadablePlanException("checksum mismatch");
        }
        try {
            var in = new PlanInput(values, rules.forAssembled());
            var page = page(in, base, textBytes, false);
            if (values.hasRemaining()) {
                throw new UnreadablePlanException("trailing bytes after the page");
            }
            return page;
        } catch (BufferUnderflowException e) {
            throw new UnreadablePlanException("the bytes end too early", e);
        } catch (RuntimeException e) {
            throw new UnreadablePlanException("inconsistent values: " + e, e);
        }
    }

    private static void writePage(CompiledPage page, PlanOutput out) {
        out.flag(page.mustBeWhole());
        var fixed = page.fixed();
        out.flag(fixed != null);
        if (fixed == null) {
            NODES.write(page.nodes(), out);
        } else {
            out.flag(page.asksForFragments());
            PARTS.write(fixed.parts(), out);
        }
    }

    /**
     * Decodes the next page, whose text has {@code length} bytes.
     *
     * @param isInline whether it is contained in another document
     */
    private static CompiledPage page(PlanInput in, CacheKey base, int length, boolean isInline) {
        boolean mustBeWhole = in.flag();
        boolean isFixed = in.flag();
        var brought = new IdentityHashMap<EsiNode.Inline, CompiledPage.Inline>(0);
        in.document =
                new PlanInput.Document(base, length, isInline, brought, new PatternAllowance());
        if (!isFixed) {
            return CompiledPage.kept(
                    NODES.read(in),
                    mustBeWhole,
                    base,
                    in.rules,
                    (inline, key) -> brought.get(inline));
        }
        boolean asksForFragments = in.flag();
        var parts = PARTS.read(in);
        for (var part : parts) {
            if (!mayBeFixed(part, base, in.rules.resolver())) {
                throw new IllegalArgumentException("a part that is not allowed in a fixed plan");
            }
        }
        return CompiledPage.kept(new Plan(parts), mustBeWhole, asksForFragments, base, in.rules);
    }

    private static boolean mayBeFixed(Part part, CacheKey base, ReferenceResolver resolver) {
        return part instanceof Part.Bytes
                || (part instanceof Part.Fragment fragment
                        && mayBeFixed(fragment.src(), base, resolver)
                        && fragment.alternative()
                                .map(alternative -> mayBeFixed(alternative, base, resolver))
                                .orElse(true));
    }

    private static boolean mayBeFixed(Reference reference, CacheKey base, ReferenceResolver by) {
        return switch (reference) {
            case Reference.Allowed(var key) -> by.mayResolveTo(key, base);
            case Reference.Denied ignored -> true;
        };
    }

    /** Encodes its stored text, which contains no stamps; none if it is not allowed. */
    private static void writeInline(EsiNode.Inline inline, PlanOutput out) {
        out.text(inline.name());
        out.flag(inline.isFetchable());
        POSITION.write(inline.at(), out);
        var page = out.page;
        var document = page.inlineOf(inline);
        out.flag(document != null);
        if (document != null) {
            out.text(document.content());
            out.page = document.compiled();
            writePage(document.compiled(), out);
            out.page = page;
        }
    }

    private static EsiNode.Inline inline(PlanInput in) {
        var name = in.text();
        boolean isFetchable = in.flag();
        var at = POSITION.read(in);
        if (!in.flag()) {
            return new EsiNode.Inline(name, isFetchable, "", at);
        }
        var enclosing = in.document();
        var key = Facts.nameOf(name, enclosing.base(), in.rules);
        if (key == null || enclosing.isInline()) {
            throw new IllegalArgumentException("an inline document that is not allowed here");
        }
        var content = in.text();
        var compiled = page(in, key, content.length(), true);
        in.document = enclosing;
        var inline = new EsiNode.Inline(name, isFetchable, content, at);
        enclosing
                .brought()
                .put(inline, new CompiledPage.Inline(key, content, compiled, isFetchable));
        return inline;
    }

    private static SearchPattern pattern(PlanInput in) {
        var text = in.text();
        int flags = in.number(Integer.MAX_VALUE);
        var pattern = SearchPattern.recompiled(text, flags, in.document().patterns());
        if (pattern == null) {
            throw new IllegalArgumentException("a pattern that is invalid or too large");
        }
        return pattern;
    }

    private static Span span(PlanInput in) {
        int start = in.number(in.document().length());
        return new Span(start, in.number(in.document().length()));
    }

    /** Returns the same value, on every machine, for rules that read documents alike. */
    private static long hash(Rules rules) {
        long hash = ValueCodecs.hash(rules.reading() + " " + rules.maxFragments());
        for (var host : rules.resolver().allowedHosts()) {
            hash += ValueCodecs.hash(host);
        }
        return hash;
    }

    private static int check(byte[] bytes, int length) {
        var check = new CRC32C();
        check.update(bytes, 0, length);
        return (int) check.getValue();
    }
}
