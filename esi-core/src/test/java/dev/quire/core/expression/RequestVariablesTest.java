package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.Value.Source;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Variables of the request: docs/esi.md, Variables. */
class RequestVariablesTest {
    private static final String FIREFOX =
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:109.0) Gecko/20100101 Firefox/115.0";

    private static VariableRules rules(boolean decodesQuery, boolean escapes) {
        return new VariableRules(
                List.of("sid", "*token*"),
                decodesQuery,
                Optional.of("esi_"),
                Map.of("SITE", "Süd<b>"),
                Map.of("PLACE", Map.of("land", "Süd", "a b", "x")),
                !decodesQuery,
                escapes);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "$(HTTP_HOST) ~ example.test",
                "$(HTTP_HOST{x}) ~ ``",
                "$(HTTP_COOKIE) ~ myvar=foo; Y=v=1&n=x; SQ=hello; myvar=second; empty=",
                "$(HTTP_COOKIE{myvar}) ~ foo",
                "$(HTTP_COOKIE{'SQ'}) ~ hello",
                "$(HTTP_COOKIE{sq}) ~ ``",
                "$(HTTP_COOKIE{Y}) ~ v=1&n=x",
                "$(HTTP_COOKIE{Y;n}) ~ x",
                "$(HTTP_COOKIE{Y;m}|none) ~ none",
                "$(HTTP_COOKIE{nope;n}|none) ~ none",
                "$(HTTP_COOKIE{empty}|d) ~ d",
                "$(HTTP_X_ESI_TEST) ~ foobar",
                "$(HTTP_X_MANY) ~ one, two",
                "$(HTTP_X_MANY{1}) ~ two",
                "$(HTTP_X_MANY{2}) ~ ``",
                "$(HTTP_X_MANY{x}) ~ ``",
                "$(HTTP_HEADER{x-esi-test}) ~ foobar",
                "$(HTTP_HEADER{Cookie}) ~ ``",
                "$(HTTP_HEADER{AUTHORIZATION}) ~ ``",
                "$(HTTP_HEADER) ~ ``",
                "$(HTTP_ACCEPT_LANGUAGE) ~ en-US,en;q=0.5, da",
                "$(HTTP_ACCEPT_LANGUAGE{en}) ~ true",
                "$(HTTP_ACCEPT_LANGUAGE{EN-us}) ~ true",
                "$(HTTP_ACCEPT_LANGUAGE{da}) ~ true",
                "$(HTTP_ACCEPT_LANGUAGE{us}) ~ false",
                "$(HTTP_ACCEPT_LANGUAGE{de}|none) ~ none",
                "$(QUERY_STRING) ~ a=b&c=d&a=x&e&f=%3C+",
                "$(QUERY_STRING{a}) ~ b",
                "$(QUERY_STRING{c}) ~ d",
                "$(QUERY_STRING{e}|d) ~ d",
                "$(QUERY_STRING{f}) ~ %3C+",
                "$(QUERY_STRING{z}) ~ ``",
                "$(QUERY_STRING{$(HTTP_HEADER{key})}) ~ d",
                "$(REQUEST_METHOD) ~ GET",
                "$(REQUEST_PATH) ~ /p",
                "$(REMOTE_ADDR) ~ 192.0.2.7",
                "$(http_host) ~ ``",
                "$(NOPE|$(HTTP_HOST)) ~ example.test",
                "$(NOPE|42) ~ 42",
            })
    void variablesAreWhatTheRequestSays(String text, String written) {
        var document =
                TestDocument.of(
                        "/p?a=b&c=d&a=x&e&f=%3C+",
                        "Cookie",
                        "myvar=foo; Y=v=1&n=x",
                        "Cookie",
                        "SQ=hello;myvar=second; empty=",
                        "X-ESI-Test",
                        "foobar",
                        "X-Many",
                        "one",
                        "X-Many",
                        "two",
                        "Key",
                        "c",
                        "Authorization",
                        "Bearer t",
                        "Accept-Language",
                        "en-US,en;q=0.5",
                        "Accept-Language",
                        "da");

        assertThat(document.written(text)).isEqualTo(written);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                FIREFOX + " ~ MOZILLA 5.0 WIN",
                "curl/8.5.0 ~ OTHER 8.5.0 OTHER",
                "Mozilla/4.0 (compatible; MSIE 6.0; Mac_PowerPC) ~ MSIE 6.0 MAC",
                "Mozilla/5.0 (X11; Linux x86_64) ~ MOZILLA 5.0 UNIX",
                "Darwin ~ OTHER  OTHER",
            })
    void userAgentsHaveABrowserAVersionAndASystem(String agent, String written) {
        var document = TestDocument.of("/", "User-Agent", agent);

        assertThat(
                        document.written(
                                "$(HTTP_USER_AGENT{browser}) $(HTTP_USER_AGENT{version})"
                                        + " $(HTTP_USER_AGENT{os})"))
                .isEqualTo(written);
    }

    @Test
    void deniedCookiesReachNoOutputButCanBeTested() {
        var document =
                TestDocument.of(
                        "/",
                        "Cookie",
                        "JSESSIONID=s1; theme=dark; csrf_Token=t1; PHPSESSIONID=x",
                        "Authorization",
                        "Basic b");

        assertThat(document.written("[$(HTTP_COOKIE{JSESSIONID})|$(HTTP_COOKIE{csrf_Token})]"))
                .isEqualTo("[|]");
        assertThat(document.written("$(HTTP_COOKIE)")).isEqualTo("theme=dark");
        assertThat(document.written("$(HTTP_Cookie)$(HTTP_cookie)$(HTTP_HEADER{cookie})"))
                .isEmpty();
        assertThat(document.written("$str({$(HTTP_COOKIE{JSESSIONID}): 1})")).isEmpty();
        assertThat(document.written("$len($(HTTP_COOKIE{JSESSIONID}))")).isEmpty();
        assertThat(document.written("$substr('abc', $len($(HTTP_COOKIE{JSESSIONID})))")).isEmpty();
        assertThat(document.written("[$(RAW_HTTP_COOKIE{JSESSIONID})$(HTTP_AUTHORIZATION)]"))
                .isEqualTo("[]");
        assertThat(document.written("[$upper('x' + $(HTTP_COOKIE{JSESSIONID}))]")).isEqualTo("[]");
        assertThat(document.written("[$base64_encode('$(HTTP_AUTHORIZATION)')]")).isEqualTo("[]");
        assertThat(document.written("[$join([1, $(HTTP_COOKIE{JSESSIONID})])]")).isEqualTo("[]");
        assertThat(document.test("$(HTTP_COOKIE{JSESSIONID}) == 's1'")).isFalse();
        assertThat(document.written("$exists($(HTTP_COOKIE{JSESSIONID}))")).isEqualTo("true");
    }

    @ParameterizedTest
    @CsvSource({
        "SID,true",
        "sid,true",
        "side,false",
        "my_token_1,true",
        "token,true",
        "toke,false"
    })
    void patternsOfDeniedCookiesDoNotRegardCase(String cookie, boolean isDenied) {
        var document = TestDocument.of(rules(false, true), "/", "Cookie", cookie + "=v");

        assertThat(document.written("$(HTTP_COOKIE{" + cookie + "})"))
                .isEqualTo(isDenied ? "" : "v");
    }

    @ParameterizedTest
    @CsvSource({
        "*,anything,true",
        "a*b*c,a--b--b--c,true",
        "a*b*c,a--c--b,false",
        "*ab,aab,true",
        "a*,a,true",
        "**a**,bab,true",
        "'','',true",
        "'',x,false"
    })
    void starsOfPatternsStandForAnything(String pattern, String name, boolean matches) {
        assertThat(new NamePatterns(List.of(pattern)).match(name)).isEqualTo(matches);
    }

    @Test
    void operatorDecidesWhetherPagesChangeTheirResponse() {
        var allowed = TestDocument.of(rules(false, true), "/");
        var refused = TestDocument.of(rules(true, true), "/");

        for (var document : List.of(allowed, refused)) {
            document.evaluate("$add_header('X-A', 'b')");
            document.evaluate("$set_response_code(404)");
            document.evaluate("$set_redirect('/x')");
        }

        assertThat(allowed.scope.edits()).isNotEqualTo(ResponseEdits.NONE);
        assertThat(refused.scope.edits()).isEqualTo(ResponseEdits.NONE);
        assertThat(refused.problems).hasSize(3).first().asString().contains("response-functions");
    }

    @Test
    void queriesAreDecodedIfTheOperatorWantsIt() {
        var document = TestDocument.of(rules(true, true), "/?%61=%3Cb%3E+x%&q=1");

        assertThat(document.written("$(QUERY_STRING{a}) $(QUERY_STRING)"))
                .isEqualTo("&lt;b&gt; x% %61=%3Cb%3E+x%&q=1");
    }

    @Test
    void argumentsWithThePrefixAreEsiArgs() {
        var document = TestDocument.of(rules(false, true), "/?x=1&esi_a=1&esi_c=3");

        assertThat(document.written("$(ESI_ARGS{a}|noarg) $(ESI_ARGS{b}|noarg) $(ESI_ARGS)"))
                .isEqualTo("1 noarg a=1&c=3");
        assertThat(document.scope.hasReadClient()).isFalse();
    }

    @Test
    void theOperatorsVariablesAreHisOwnWords() {
        var document = TestDocument.of(rules(false, true), "/");

        assertThat(document.written("$(SITE)")).isEqualTo("SÃ¼d<b>");
        assertThat(document.written("$(PLACE{land}|none) $(PLACE{'a b'})")).isEqualTo("SÃ¼d x");
        assertThat(document.written("$(PLACE{sea}|none) $(PLACE|none)")).isEqualTo("none none");
        assertThat(document.scope.hasReadClient()).isFalse();
    }

    @Test
    void othersAreAskedForWhatNobodyKnows() {
        var request = new RequestHead("GET", Scheme.HTTP, "example.test", "/", Fields.EMPTY);
        var geo =
                new Variables() {
                    @Override
                    public Value value(String name, @Nullable String key) {
                        return name.equals("GEO") && "country_code".equals(key)
                                ? new Value.Text("DE", Source.CLIENT)
                                : Value.Null.NULL;
                    }

                    @Override
                    public Source source(String name) {
                        return name.equals("GEO") ? Source.CLIENT : Source.AUTHOR;
                    }
                };
        var variables =
                new RequestVariables(
                                request,
                                "192.0.2.7",
                                new RequestVariables.Rules(VariableRules.STANDARD),
                                Optional.of(geo))
                        .of(CacheKey.of(request));
        var scope =
                new Scope(variables, new Evaluation(TestDocument.NOW, new Random(1), what -> {}));
        var document = TestDocument.plain();

        assertThat(scope.evaluate(document.read("$(other)"))).isInstanceOf(Value.Null.class);
        assertThat(scope.hasReadClient()).isFalse();
        assertThat(scope.evaluate(document.read("$(GEO{country_code}) + '!'")))
                .isEqualTo(new Value.Text("DE!", Source.CLIENT));
        assertThat(scope.hasReadClient()).isTrue();
    }

    @Test
    void aFragmentSeesItsOwnAddressAndTheClientsFields() {
        var request =
                new RequestHead(
                        "HEAD", Scheme.HTTP, "example.test", "/?x=1", Fields.of("Cookie", "a=b"));
        var variables =
                new RequestVariables(
                                request,
                                "192.0.2.7",
                                new RequestVariables.Rules(VariableRules.STANDARD),
                                Optional.empty())
                        .of(new CacheKey(Scheme.HTTP, "other.test", "/f?x=2"));

        assertThat(variables.value("QUERY_STRING", "x"))
                .isEqualTo(new Value.Text("2", Source.ADDRESS));
        assertThat(variables.value("REQUEST_PATH", null))
                .isEqualTo(new Value.Text("/f", Source.ADDRESS));
        assertThat(variables.value("HTTP_COOKIE", "a"))
                .isEqualTo(new Value.Text("b", Source.CLIENT));
        assertThat(variables.value("REQUEST_METHOD", null))
                .isEqualTo(new Value.Text("HEAD", Source.CLIENT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP_HOST", "QUERY_STRING", "QUERY_STRING{a}", "REQUEST_PATH", "mine"})
    void whoReadsTheAddressAloneIsNotPersonal(String name) {
        var document = TestDocument.of("/?a=b");

        document.written("$(" + name + ")");

        assertThat(document.scope.hasReadClient()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP_COOKIE{nope}", "HTTP_COOKIE", "HTTP_X", "HTTP_ACCEPT_LANGUAGE{de}",
                "HTTP_USER_AGENT{os}", "HTTP_HEADER{x}", "HTTP_AUTHORIZATION", "REMOTE_ADDR",
                "REQUEST_METHOD"
            })
    void whoAsksForAnythingElseIsEvenIfItIsNotThere(String name) {
        var document = TestDocument.plain();

        var copy = document.scope.fork();
        copy.test(document.read("$(" + name + ") == 'x'"), null);

        assertThat(document.scope.hasReadClient()).isTrue();
    }
}
