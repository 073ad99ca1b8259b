package dev.quire.core.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestPhaseTest {
    private static final Condition PHONE =
            Matchers.header("User-Agent", List.of(TextPattern.of("*phone*", true)));

    @Test
    void laterRulesSeeEarlierChanges() {
        var phase =
                phase(
                        get("/a?utm_source=x&b=2&a=1"),
                        rule("tracking").query(new QueryEdit(dropping("utm_*"), true)).of(),
                        rule("sorted")
                                .when(Matchers.query("a", patterns("1")))
                                .set("X-Target", "{target}")
                                .of());

        assertThat(phase.run()).isNull();
        assertThat(phase.result().head().target()).isEqualTo("/a?a=1&b=2");
        assertThat(phase.result().head().fields().first("X-Target")).isEqualTo("/a?a=1&b=2");
        assertThat(phase.applied()).containsExactly("tracking", "sorted");
    }

    @Test
    void aFieldSetByAnotherFieldMustBeNamedByVary() {
        var unkeyed = rule("device").when(PHONE).set("X-Device", "phone").of();
        var keyed = rule("device").when(PHONE).set("X-Device", "phone").key("phone").of();
        var ofUrl =
                rule("device")
                        .when(Matchers.query("a", patterns("1")))
                        .set("X-Device", "phone")
                        .of();

        assertThat(ruled(unkeyed).unkeyedFields()).containsExactly("x-device");
        assertThat(ruled(keyed).unkeyedFields()).isEmpty();
        assertThat(ruled(keyed).parts()).containsExactly(new CacheKey.Part("device", "phone"));
        assertThat(ruled(ofUrl).unkeyedFields()).isEmpty();
    }

    @Test
    void aValueOfTheClientIsKeyedByItsOwnTemplateOnly() {
        var other = rule("agent").set("X-Agent", "{header.user-agent}").key("constant").of();
        var same =
                rule("agent").set("X-Agent", "{header.user-agent}").key("{header.user-agent}").of();

        assertThat(ruled(other).unkeyedFields()).containsExactly("x-agent");
        assertThat(ruled(same).unkeyedFields()).isEmpty();
    }

    @Test
    void aVariableDependsOnWhatItsRuleReads() {
        var assigning = rule("kind").when(PHONE).var("kind", "phone").of();
        var using =
                rule("use")
                        .when(Matchers.variable("kind", patterns("phone")))
                        .set("X-Device", "{var.kind}")
                        .of();

        assertThat(ruled(assigning, using).unkeyedFields()).containsExactly("x-device");
    }

    @Test
    void anOriginChosenByTheClientWithoutKeyPasses() {
        var rule = rule("origin").when(PHONE).origin("mobile");

        assertThat(ruled(rule.of()).passes()).isTrue();
        assertThat(ruled(rule.key("mobile").of()).passes()).isFalse();
        assertThat(ruled(rule.of()).origin()).isEqualTo("mobile");
    }

    @Test
    void anOriginChosenByAPathThatIsReplacedIsInTheKey() {
        var blog =
                rule("blog")
                        .when(Matchers.path(List.of(new PathPattern("/blog/**")), List.of()))
                        .path(new PathEdit(null, template("/wp/x", true)))
                        .origin("wordpress")
                        .of();

        var moved = result(phase(get("/blog/x"), blog));
        var direct = result(phase(get("/wp/x"), blog));

        assertThat(moved.head().target()).isEqualTo(direct.head().target());
        assertThat(moved.parts()).containsExactly(new CacheKey.Part("blog", "blog"));
        assertThat(moved.passes()).isFalse();
        assertThat(direct.parts()).isEmpty();
    }

    @Test
    void aFieldSetByAnArgumentThatIsDroppedIsInTheKey() {
        var preview = rule("preview").set("X-Preview", "{query.preview}").of();
        var drop = rule("drop").query(new QueryEdit(dropping("preview"), false)).of();

        assertThat(result(phase(get("/?preview=1"), preview, drop)).parts())
                .containsExactly(new CacheKey.Part("preview", "1"));
        assertThat(result(phase(get("/?preview=1"), preview)).parts()).isEmpty();
    }

    @Test
    void aRuleForClientsOnlyIsInTheKey() {
        var framed = rule("frame").audience(Audience.CLIENT).set("X-Frame", "page").of();

        assertThat(ruled(framed).parts()).containsExactly(new CacheKey.Part("frame", "frame"));
    }

    @Test
    void aVariableOfTheSameRuleDependsOnTheRequest() {
        var rule = rule("kind").var("kind", "{header.user-agent}").set("X-Kind", "{var.kind}");
        assertThat(ruled(rule.of()).unkeyedFields()).containsExactly("x-kind");

        var keyed = phase(get("/"), rule.key("{var.kind}").of());
        assertThat(result(keyed).unkeyedFields()).isEmpty();
        assertThat(keyed.inputs().fields()).containsExactly("user-agent");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/admin/x", "//admin/x", "/admin;a/x", "/%61dmin//x"})
    void anExpressionIsSearchedInTheSimplifiedPath(String target) {
        var refusing =
                rule("admin")
                        .when(Matchers.path(List.of(), patterns("~^/admin/")))
                        .ending(new EndingAction.Deny(403))
                        .of();

        assertThat(phase(get(target), refusing).run()).isEqualTo(new Ending.Deny("admin", 403));
    }

    @Test
    void anExpressionWithSlashesIsSearchedInThePathAsItCame() {
        var refusing =
                rule("twice")
                        .when(Matchers.path(List.of(), patterns("~//")))
                        .ending(new EndingAction.Deny(404))
                        .of();

        assertThat(phase(get("/a//b"), refusing).run()).isEqualTo(new Ending.Deny("twice", 404));
        assertThat(phase(get("/a/b"), refusing).run()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"//evil.example", "///evil.example"})
    void aPathThatNamesAHostIsNoRedirect(String target) {
        var slash = rule("slash").ending(redirect("{path}/")).of();

        var phase = phase(get(target), slash);

        assertThat(phase.run()).isNull();
        assertThat(phase.failed()).containsExactly("slash");
        assertThat(phase(get("/a"), slash).run())
                .isEqualTo(new Ending.Redirect("slash", 301, "/a/"));
        assertThat(phase(get("/a"), rule("cdn").ending(redirect("//cdn.example{path}")).of()).run())
                .isEqualTo(new Ending.Redirect("cdn", 301, "//cdn.example/a"));
    }

    @Test
    void anExpressionSeesPathsWithLineFeeds() {
        var refusing =
                rule("admin")
                        .when(Matchers.path(List.of(), patterns("~^/admin/.*[.]php$")))
                        .ending(new EndingAction.Deny(403))
                        .of();

        assertThat(phase(get("/admin/x%0a.php"), refusing).run())
                .isEqualTo(new Ending.Deny("admin", 403));
    }

    @Test
    void aValueThatGrowsWithoutEndChangesNothing() {
        var rules = new ArrayList<RequestRule>();
        rules.add(rule("first").var("v", "0123456789").of());
        for (int i = 0; i < 40; i++) {
            rules.add(rule("twice" + i).var("v", "{var.v}{var.v}").of());
        }
        rules.add(rule("last").set("X-V", "{var.v}").of());

        var phase = phase(get("/"), rules.toArray(RequestRule[]::new));

        assertThat(phase.run()).isNull();
        assertThat(phase.failed()).contains("twice39").doesNotContain("twice1", "last");
        assertThat(phase.request().fields().first("X-V")).hasSizeLessThan(65_537);
    }

    @ParameterizedTest
    @ValueSource(strings = {":80", "::::", "..", "[", "x:99999x", "a..b", "[::g]", ""})
    void aChangedHostIsAHost(String host) {
        var phase = phase(get("/?h=" + host), rule("host").host("{query.h}").of());

        assertThat(phase.run()).isNull();
        assertThat(phase.failed()).containsExactly("host");
        assertThat(phase.request().authority()).isEqualTo("news.example");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.example", "a.example:8080", "127.0.0.1", "[::1]:80"})
    void aHostMayHaveAPort(String host) {
        var phase = phase(get("/?h=" + host), rule("host").host("{query.h}").of());

        assertThat(phase.run()).isNull();
        assertThat(phase.failed()).isEmpty();
    }

    private static EndingAction redirect(String to) {
        return new EndingAction.Redirect(template(to, true), 301);
    }

    private static RuledRequest result(RequestPhase phase) {
        assertThat(phase.run()).isNull();
        return phase.result();
    }

    @Test
    void aFailingConditionRefusesButDoesNotChange() {
        Condition failing =
                new Condition() {
                    @Override
                    public boolean holds(RuleValues values) {
                        throw new RuleError("division by zero");
                    }

                    @Override
                    public Set<Input> inputs() {
                        return Set.of();
                    }
                };
        var phase =
                phase(
                        get("/"),
                        rule("change").when(failing).set("X-A", "1").of(),
                        rule("refuse").when(failing).ending(new EndingAction.Deny(403)).of());

        assertThat(phase.run()).isEqualTo(new Ending.Deny("refuse", 403));
        assertThat(phase.request().fields().contains("X-A")).isFalse();
        assertThat(phase.failed()).containsExactly("change", "refuse");
    }

    @Test
    void aPathWithDotSegmentsIsNotUsed() {
        var phase =
                phase(
                        get("/?f=..%2F..%2Fsecret"),
                        rule("path")
                                .path(new PathEdit(null, template("/x/{query.f}/..", true)))
                                .of());

        assertThat(phase.run()).isNull();
        assertThat(phase.result().head().target()).isEqualTo("/?f=..%2F..%2Fsecret");
        assertThat(phase.failed()).containsExactly("path");
    }

    @Test
    void aPurgeMeansTheUrlAndWhatTheRulesMakeOfIt() {
        var stripped = rule("tracking").query(new QueryEdit(dropping("utm_*"), true)).of();
        var refusing = rule("refuse").ending(new EndingAction.Deny(403)).of();
        var moved = rule("move").path(new PathEdit(null, template("/new", true))).key("x").of();
        var phone = rule("phone").when(PHONE).path(new PathEdit(null, template("/m", true))).of();

        var keys =
                rules(stripped, refusing, moved, phone)
                        .keysOf(url("/old?utm_source=x&a=1"), () -> Instant.EPOCH);

        assertThat(keys).containsExactly(url("/old?utm_source=x&a=1"), url("/new?a=1"));
        assertThat(RequestRules.NONE.keysOf(url("/a"), () -> Instant.EPOCH))
                .containsExactly(url("/a"));
    }

    @Test
    void aPurgeMeansThePageAndTheFragment() {
        var inPages =
                rule("part")
                        .audience(Audience.FRAGMENT)
                        .path(new PathEdit(null, template("/part", true)))
                        .of();

        var keys = rules(inPages).keysOf(url("/a"), () -> Instant.EPOCH);

        assertThat(keys).containsExactly(url("/a"), url("/part"));
    }

    private static CacheKey url(String target) {
        return new CacheKey(Scheme.HTTP, "news.example", target);
    }

    private static RuledRequest ruled(RequestRule... rules) {
        var phase = phase(get("/?a=1"), rules);
        assertThat(phase.run()).isNull();
        return phase.result();
    }

    private static RequestPhase phase(RequestHead request, RequestRule... rules) {
        return rules(rules)
                .begin(
                        new RequestPhase.Subject(
                                request,
                                InetAddress::getLoopbackAddress,
                                false,
                                0,
                                "HTTP/1.1",
                                () -> Instant.EPOCH));
    }

    private static RequestHead get(String target) {
        return new RequestHead(
                "GET",
                Scheme.HTTP,
                "news.example",
                target,
                Fields.of("Host", "news.example", "User-Agent", "A phone/1"));
    }

    private static NameFilter dropping(String name) {
        return new NameFilter(patterns(name), false);
    }

    private static List<TextPattern> patterns(String... texts) {
        return List.of(texts).stream().map(text -> TextPattern.of(text, false)).toList();
    }

    static TextTemplate template(String text, boolean isInUrl) {
        try {
            return new TemplateParser(
                            (expression, encodes) -> {
                                throw new TemplateParser.SyntaxError(0, "is unknown", "a name");
                            },
                            Phase.REQUEST)
                    .parse(text, isInUrl);
        } catch (TemplateParser.SyntaxError e) {
            throw new AssertionError(e);
        }
    }

    private static RequestRules rules(RequestRule... rules) {
        return new RequestRules(
                List.of(rules), Set.of(), Stream.of(rules).map(RequestRule::name).toList());
    }

    private static Draft rule(String name) {
        return new Draft(name);
    }

    /** A rule of which only some actions are set. */
    private static final class Draft {
        private final String name;
        private Audience audience = Audience.BOTH;
        private Condition condition = Condition.ALWAYS;
        private Map<String, TextTemplate> variables = Map.of();
        private FieldEdits fields = FieldEdits.NONE;
        private @Nullable QueryEdit query;
        private @Nullable PathEdit path;
        private @Nullable TextTemplate host;
        private @Nullable String origin;
        private List<TextTemplate> key = List.of();
        private @Nullable EndingAction ending;

        Draft(String name) {
            this.name = name;
        }

        Draft audience(Audience given) {
            audience = given;
            return this;
        }

        Draft when(Condition given) {
            condition = given;
            return this;
        }

        Draft var(String variable, String value) {
            variables = Map.of(variable, template(value, false));
            return this;
        }

        Draft set(String field, String value) {
            fields =
                    new FieldEdits(
                            Phase.REQUEST,
                            List.of(),
                            List.of(new FieldEdits.Line(field, template(value, false))),
                            List.of());
            return this;
        }

        Draft query(QueryEdit edit) {
            query = edit;
            return this;
        }

        Draft path(PathEdit edit) {
            path = edit;
            return this;
        }

        Draft host(String template) {
            host = template(template, false);
            return this;
        }

        Draft origin(String chosen) {
            origin = chosen;
            return this;
        }

        Draft key(String value) {
            key = List.of(template(value, false));
            return this;
        }

        Draft ending(EndingAction action) {
            ending = action;
            return this;
        }

        RequestRule of() {
            return new RequestRule(
                    name, audience, condition, null, variables, fields, null, query, path, host,
                    origin, false, key, false, ending, false);
        }
    }
}
