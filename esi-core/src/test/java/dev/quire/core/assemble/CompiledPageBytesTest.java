package dev.quire.core.assemble;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Expression;
import dev.quire.core.expression.ExpressionParser;
import dev.quire.core.expression.Value;
import dev.quire.core.http.Stamp;
import dev.quire.core.parse.EsiNode;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.parse.Position;
import dev.quire.core.parse.Soup;
import dev.quire.core.policy.CacheKey;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Plans of pages, written to bytes and read back. */
class CompiledPageBytesTest {

    private static final CacheKey KEY = AssemblerTest.key("/shop/page?a=b");
    private static final String NONCE = "AAAAAAAAAAAAAAAAAAAA-_";
    private static final CompiledPage.Rules RULES =
            rules(ParseOptions.STANDARD, Set.of("cdn.test"), 256);

    private static CompiledPage.Rules rules(
            ParseOptions reading, Set<String> hosts, int maxFragments) {
        return new CompiledPage.Rules(new ReferenceResolver(hosts), reading, maxFragments);
    }

    /** Every element and every kind of expression, with all allowed content. */
    static List<String> documents() {
        return List.of(
                "no tag at all",
                "a<esi:include src='/a'/>b<esi:include src='//cdn.test/x' alt='//evil.test/y'"
                        + " onerror='continue' maxwait='250' ttl='5m' dca='none' select='p.a'/>c",
                "<esi:include src='b?c=1' fragment='r' escape='html' no-store='on' max-age='5+6'"
                        + " primary='true' redirect='no'/><esi:include src='/f' onerror='fail'/>",
                "<esi:include src='/$(QUERY_STRING{a}|x)' method='POST' entity='e$(HTTP_HOST)'"
                        + " setheader='A: $(HTTP_HOST)' removeheader='B' appendheader2='C: d'>"
                        + "<esi:param name='p' value='$(a)'/><esi:request_header name='H' value='v'/>"
                        + "<esi:replace fragment='r'>new<esi:include src='/r'/></esi:replace>"
                        + "</esi:include>",
                "<esi:choose><esi:when test=\"$(HTTP_COOKIE{g})=='x' & !($(a)>=2) | 1+2*3<9\""
                        + ">w</esi:when><esi:when test=\"$(HTTP_HOST) matches_i '''^a(.*)z$'''\""
                        + " matchname='m'>$(m{1})</esi:when><esi:when test=\"'q' =~ '/q+/im'\">q"
                        + "</esi:when><esi:otherwise>o<esi:vars>$(RAW_a) &lt;</esi:vars>"
                        + "</esi:otherwise></esi:choose>",
                "<esi:try><esi:attempt>a<esi:include src='/1'/><esi:assign name='x' value='1'/>"
                        + "</esi:attempt><esi:except code='404'>4</esi:except><esi:except>e"
                        + "</esi:except></esi:try><esi:eval src='/e' dca='esi'/>",
                "<esi:assign name='d{k}' value=\"{'a': [1..3], 'b': [1, -2, 3.5, true, null]}\"/>"
                        + "<esi:assign name='l'>long $(d{k})</esi:assign><esi:foreach item='i'"
                        + " collection='$(d)'>$(i)<esi:break/></esi:foreach><esi:function name='f'>"
                        + "<esi:return value='$(ARGS{0}) % 2'/></esi:function><esi:vars"
                        + " escape='js'>$f($len('x'))</esi:vars>",
                "<esi:inline name='/in' fetchable='yes'>i<esi:include src='/x'/></esi:inline>"
                        + "<esi:inline name='//evil.test/in'>e</esi:inline><esi:inline name='/v'>"
                        + "<esi:vars>$(a)</esi:vars><esi:inline name='/w'>w</esi:inline>"
                        + "</esi:inline><esi:fragment name='r'>r</esi:fragment>",
                "<esi:vars>$add_header('A', 'b')</esi:vars><esi:text>$(x)</esi:text>\u00e9");
    }

    private static CompiledPage compiled(String document, CompiledPage.Rules rules) {
        var parser = new EsiParser(rules.reading());
        parser.feed(ByteBuffer.wrap(document.getBytes(ISO_8859_1)));
        return CompiledPage.of(parser.finish(), KEY, rules);
    }

    @ParameterizedTest
    @MethodSource("documents")
    void whatIsReadIsWhatWasWritten(String document) {
        var page = compiled(document, RULES);

        assertSame(CountedBody.reread(page, document.length()), page);
    }

    @Property(tries = 2_000)
    void anyPageIsReadAsItWasWritten(@ForAll("pages") String document) {
        var page = compiled(document, RULES);

        assertSame(CountedBody.reread(page, document.length()), page);
    }

    @Property(tries = 1_000)
    void anyPageIsAssembledAlikeFromWhatWasRead(
            @ForAll("pages") String page, @ForAll("pages") String fragment, @ForAll long seed) {
        var site = new Site(Map.of("/", page, "/a", fragment, "/e", fragment, "/x", "x"));

        var parsed = site.assembled(seed, ErrorPolicy.OMIT);
        var read = site.reread().assembled(seed, ErrorPolicy.OMIT);

        assertThat(read.output()).isEqualTo(parsed.output());
        assertThat(read.omitted).isEqualTo(parsed.omitted);
        assertThat(read.problems).isEqualTo(parsed.problems);
        assertThat(read.amended).isEqualTo(parsed.amended);
    }

    @Provide
    Arbitrary<String> pages() {
        return Soup.documents();
    }

    private static void assertSame(CompiledPage read, CompiledPage page) {
        assertThat(read.base()).isEqualTo(page.base());
        assertThat(read.rules()).isEqualTo(page.rules());
        assertThat(read.mustBeWhole()).isEqualTo(page.mustBeWhole());
        assertThat(read.asksForFragments()).isEqualTo(page.asksForFragments());
        assertThat(read.fixed()).isEqualTo(page.fixed());
        assertThat(read.heapBytes()).isEqualTo(page.heapBytes());
        assertSame(read.nodes(), read, page.nodes(), page);
    }

    private static void assertSame(
            List<EsiNode> nodes, CompiledPage read, List<EsiNode> others, CompiledPage page) {
        assertThat(nodes).hasSameSizeAs(others);
        for (int i = 0; i < nodes.size(); i++) {
            var node = nodes.get(i);
            var other = others.get(i);
            if (node instanceof EsiNode.Inline inline && other instanceof EsiNode.Inline was) {
                assertSame(inline, read.inlineOf(inline), was, page.inlineOf(was));
            } else if (CompiledPage.contents(other).isEmpty()) {
                assertThat(node).isEqualTo(other);
            }
            if (node instanceof EsiNode.Include include && other instanceof EsiNode.Include was) {
                assertThat(read.fragmentOf(include)).isEqualTo(page.fragmentOf(was));
            }
            if (node instanceof EsiNode.Try attempt && other instanceof EsiNode.Try was) {
                assertThat(read.changesState(attempt)).isEqualTo(page.changesState(was));
            }
            var contents = CompiledPage.contents(node);
            assertThat(contents).hasSameSizeAs(CompiledPage.contents(other));
            for (int j = 0; j < contents.size(); j++) {
                assertSame(contents.get(j), read, CompiledPage.contents(other).get(j), page);
            }
        }
    }

    /** The text of an inline document that is not allowed is not stored. */
    private static void assertSame(
            EsiNode.Inline node,
            CompiledPage.@Nullable Inline read,
            EsiNode.Inline was,
            CompiledPage.@Nullable Inline document) {
        assertThat(node.name()).isEqualTo(was.name());
        assertThat(node.isFetchable()).isEqualTo(was.isFetchable());
        assertThat(node.at()).isEqualTo(was.at());
        assertThat(read == null).isEqualTo(document == null);
        if (read != null && document != null) {
            assertThat(read.key()).isEqualTo(document.key());
            assertThat(read.content()).isEqualTo(document.content());
            assertThat(read.isFetchable()).isEqualTo(document.isFetchable());
            assertSame(read.compiled(), document.compiled());
        }
    }

    @ParameterizedTest
    @MethodSource("documents")
    void theSamePageIsAlwaysTheSameBytes(String document) {
        var page = compiled(document, RULES);

        assertThat(CompiledPageBytes.write(CountedBody.reread(page, document.length())))
                .isEqualTo(CompiledPageBytes.write(page));
    }

    @Test
    void textIsNamedByItsPlaceAndIsNotInTheBytes() {
        var page = compiled("much text <esi:include src='/a'/> and more", RULES);

        assertThat(new String(CompiledPageBytes.write(page), ISO_8859_1))
                .contains("/a")
                .doesNotContain("text", "more", "esi:");
    }

    @Test
    void nameOfThePageIsNotInTheBytes() throws Exception {
        var key = KEY.with(List.of(new CacheKey.Part("login", "secret")));
        var document = "text <esi:include src='/a'/><esi:vars>$(a)</esi:vars>";
        var parser = new EsiParser(RULES.reading());
        parser.feed(ByteBuffer.wrap(document.getBytes(ISO_8859_1)));
        var page = CompiledPage.of(parser.finish(), key, RULES);

        var bytes = CompiledPageBytes.write(page);

        assertThat(new String(bytes, ISO_8859_1))
                .doesNotContain("secret", "login", "/shop/page", KEY.authority());
        assertSame(CompiledPageBytes.read(bytes, key, document.length(), RULES), page);
    }

    /** A valid checksum does not make an address that no reference can have. */
    @ParameterizedTest
    @ValueSource(strings = {"/a\r\nX: y", "/a\0", "/%00", "/a/../../b"})
    void addressThatNoReferenceHasIsRefused(String target) {
        var page = compiled("<esi:include src='/a'/>", RULES);
        var part = (Plan.Part.Fragment) requireNonNull(page.fixed()).parts().getFirst();
        var src = new Reference.Allowed(new CacheKey(KEY.scheme(), KEY.authority(), target));
        var changed =
                new Plan.Part.Fragment(
                        src,
                        part.terms(),
                        part.alternative(),
                        part.alternativeTerms(),
                        part.onError(),
                        part.region(),
                        part.select(),
                        part.escape(),
                        part.isPrimary(),
                        part.confidentiality(),
                        part.replacing(),
                        part.at());
        var forged = CompiledPage.kept(new Plan(List.of(changed)), false, true, KEY, RULES);

        assertThatThrownBy(() -> read(CompiledPageBytes.write(forged)))
                .isInstanceOf(UnreadablePlanException.class)
                .hasMessageContaining("fixed plan");
    }

    @Test
    void stampsAreNotInTheBytes() {
        var stamped = rules(ParseOptions.STANDARD.stamped(new Stamp(NONCE)), Set.of(), 256);
        var document =
                "<esi:@vars>$@(a)</esi:@vars><esi:@inline name='/i'>i<esi:@include src='/x'/>"
                        + "</esi:@inline>";
        var page = compiled(document.replace("@", NONCE + ":"), stamped);

        var bytes = CompiledPageBytes.write(page);

        assertThat(page.inlines()).hasSize(1);
        assertThat(new String(bytes, ISO_8859_1)).contains("/i").doesNotContain(NONCE);
    }

    @Test
    void pageThatWasStampedIsReadByTheRulesOfAnyStamp() throws Exception {
        var stamped = rules(ParseOptions.STANDARD.stamped(new Stamp(NONCE)), Set.of(), 256);
        var other = "B".repeat(Stamp.LENGTH - 1) + "A";
        var another = rules(ParseOptions.STANDARD.stamped(new Stamp(other)), Set.of(), 256);
        var document = "<esi:" + NONCE + ":include src='/x'/>";
        var page = compiled(document, stamped);

        var read =
                CompiledPageBytes.read(
                        CompiledPageBytes.write(page), KEY, document.length(), another);

        assertSame(read, page);
    }

    @Test
    void deepestPageIsReadOnASmallStack() throws Exception {
        var deep =
                "<esi:try><esi:attempt>".repeat(99)
                        + "<esi:vars>$("
                        + "a|$(".repeat(ExpressionParser.MAX_DEPTH - 2)
                        + "a"
                        + ")".repeat(ExpressionParser.MAX_DEPTH - 1)
                        + "</esi:vars>";
        var page = compiled(deep, RULES);
        var bytes = CompiledPageBytes.write(page);
        var read = new AtomicReference<@Nullable CompiledPage>();

        var thread =
                new Thread(
                        null,
                        () -> {
                            try {
                                read.set(CompiledPageBytes.read(bytes, KEY, deep.length(), RULES));
                            } catch (UnreadablePlanException e) {
                                throw new AssertionError(e);
                            }
                        },
                        "small stack",
                        512 * 1024);
        thread.start();
        thread.join();

        assertThat(CompiledPageBytes.write(requireNonNull(read.get()))).isEqualTo(bytes);
    }

    @Test
    void valuesThatNestDeeperThanAnyParserLetsThemAreRefused() {
        Expression value = new Expression.Literal(Value.Null.NULL);
        for (int i = 0; i < 2_000; i++) {
            value = new Expression.Not(value);
        }
        var at = new Position(1, 1, 0);
        var page =
                CompiledPage.kept(
                        List.of(new EsiNode.Write(value, Escape.NONE, at)),
                        false,
                        KEY,
                        RULES,
                        Facts.Documents.NONE);

        assertThatThrownBy(() -> read(CompiledPageBytes.write(page)))
                .isInstanceOf(UnreadablePlanException.class)
                .hasMessageContaining("deep");
    }

    @Test
    void pageThatWasReadByOtherRulesIsRefused() {
        var bytes = CompiledPageBytes.write(compiled("<esi:include src='/a'/>", RULES));

        for (var rules :
                List.of(
                        rules(ParseOptions.STANDARD, Set.of("cdn.test", "more.test"), 256),
                        rules(ParseOptions.STANDARD, Set.of(), 256),
                        rules(ParseOptions.STANDARD, Set.of("cdn.test"), 255),
                        rules(
                                ParseOptions.STANDARD.in(ParseOptions.SourceFormat.JSON),
                                Set.of("cdn.test"),
                                256),
                        rules(
                                new ParseOptions(
                                        ParseOptions.SourceFormat.MARKUP,
                                        Dialect.AKAMAI,
                                        false,
                                        Escape.MARKUP),
                                Set.of("cdn.test"),
                                256))) {
            assertThatThrownBy(() -> CompiledPageBytes.read(bytes, KEY, 100, rules))
                    .isInstanceOf(UnreadablePlanException.class)
                    .hasMessageContaining("rules");
        }
    }

    @Test
    void addressThatTheRulesDenyIsRefused() {
        var own =
                CompiledPageBytes.write(compiled("x", rules(ParseOptions.STANDARD, Set.of(), 256)));
        var bytes = CompiledPageBytes.write(compiled("<esi:include src='//cdn.test/'/>", RULES));
        System.arraycopy(own, 8, bytes, 8, 8);

        assertThatThrownBy(() ->
                        CompiledPageBytes.read(
                                checked(bytes),
                                KEY,
                                100,
                                rules(ParseOptions.STANDARD, Set.of(), 256)))
                .isInstanceOf(UnreadablePlanException.class)
                .hasMessageContaining("fixed plan");
    }

    @Test
    void placesBehindTheEndOfTheTextAreRefused() {
        var document = "a<esi:include src='/a'/>b";
        var bytes = CompiledPageBytes.write(compiled(document, RULES));

        assertThatThrownBy(() -> CompiledPageBytes.read(bytes, KEY, document.length() - 1, RULES))
                .isInstanceOf(UnreadablePlanException.class);
    }

    @ParameterizedTest
    @MethodSource("documents")
    void damagedBytesAreRefused(String document) {
        var bytes = CompiledPageBytes.write(compiled(document, RULES));

        for (int i = 0; i < bytes.length; i++) {
            var damaged = bytes.clone();
            damaged[i] ^= (byte) (1 << i % 8);
            assertThatThrownBy(() -> read(damaged)).isInstanceOf(UnreadablePlanException.class);
            var cut = Arrays.copyOf(bytes, i);
            assertThatThrownBy(() -> read(cut)).isInstanceOf(UnreadablePlanException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("documents")
    void bytesMadeUpWithARightCheckAreReadOrRefused(String document) {
        var bytes = CompiledPageBytes.write(compiled(document, RULES));
        var random = new Random(document.hashCode());

        for (int i = 16; i < bytes.length - 4; i++) {
            for (int bit = 0; bit < 8; bit++) {
                var made = bytes.clone();
                made[i] ^= (byte) (1 << bit);
                readOrRefused(made);
            }
            readOrRefused(Arrays.copyOf(bytes, i + 4));
        }
        for (int i = 0; i < 2_000; i++) {
            var made = Arrays.copyOf(bytes, bytes.length + random.nextInt(50));
            for (int times = random.nextInt(1, 30); times > 0; times--) {
                made[random.nextInt(16, made.length)] = (byte) random.nextInt(256);
            }
            readOrRefused(made);
        }
    }

    /** Fails on any other exception, and on more memory than so small a page may take. */
    private static void readOrRefused(byte[] bytes) {
        try {
            var page = read(checked(bytes));
            assertThat(page.heapBytes()).isLessThan(64L * 1024 * 1024);
        } catch (UnreadablePlanException expected) {
            assertThat(expected).hasMessageNotContaining("null");
        }
    }

    private static CompiledPage read(byte[] bytes) throws UnreadablePlanException {
        return CompiledPageBytes.read(bytes, KEY, 1_000, RULES);
    }

    private static byte[] checked(byte[] bytes) {
        var check = new CRC32C();
        check.update(bytes, 0, bytes.length - 4);
        ByteBuffer.wrap(bytes).putInt(bytes.length - 4, (int) check.getValue());
        return bytes;
    }
}
