package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only the existence of a denied cookie or of credentials can be tested. */
class SecretsTest {

    private static TestDocument document() {
        return TestDocument.of(
                        "/",
                        "Cookie",
                        "JSESSIONID=42; empty_token=; pair_auth=a=1&b",
                        "Authorization",
                        "Basic b")
                .assign("s", "$(HTTP_COOKIE{JSESSIONID})")
                .assign("none", "$(HTTP_COOKIE{empty_token})")
                .assign("list", "[$(s)]")
                .assign("dict", "{'42': 1}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$(s) == '42'",
                "$(s) == 42",
                "'42' == $(s)",
                "$(s) == $(s)",
                "$(s) != 'x'",
                "$(s) != $(none)",
                "$(s) < 50",
                "$(s) <= ''",
                "$(s) > ''",
                "'9' >= $(s)",
                "$(s) has '4'",
                "'421' has $(s)",
                "$(s) has_i ''",
                "$(s) matches '^4'",
                "$(s) matches_i '^4'",
                "'42' matches $(s)",
                "$(list) == '42'",
                "$(list) has '42'",
                "'$(s)' == '42'",
                "'0$(s)'",
                "$(s) + ''",
                "$(s) + 1",
                "$(s) - 1",
                "$(s) * 1",
                "2 * $(s)",
                "$(list) + '0'",
                "[1..$(s)]",
                "{$(s): 1}",
                "$(dict{$(s)})",
                "$(HTTP_COOKIE{$(s)})",
                "$(HTTP_COOKIE{'pair_auth;a'})",
                "$(HTTP_COOKIE{'pair_auth;x'})",
                "$len($(s))",
                "$len($(list))",
                "$substr($(s), 0, 1)",
                "$substr('abc', $(s))",
                "$index('42', $(s))",
                "$replace('42', $(s), '')",
                "$int($(s))",
                "$str($(s))",
                "$join($(list), ',')",
                "$string_split($(s), '')",
                "$list_delitem($(list), 0)",
                "$lower($(s))",
                "$digest_md5_hex($(s))",
                "$base64_encode($(HTTP_AUTHORIZATION))",
                "$rand($(s))",
                "$strftime(0, $(s))",
                "$add_header('X-S', $(s))",
                "$set_redirect($(s))",
                "$set_response_code(200, $(s))",
                "$(HTTP_AUTHORIZATION) matches '^Basic'",
            })
    void anyOtherUseOfSecretsIsNullAndReported(String use) {
        var document = document();

        assertThat(document.evaluate(use)).isInstanceOf(Value.Null.class);
        assertThat(document.problems).hasSize(1).first().asString().contains("denied cookie");
        assertThat(document.scope.edits()).isEqualTo(ResponseEdits.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$exists($(s))",
                "!$is_empty($(s))",
                "$(s)",
                "!$(none)",
                "$(s) & !$(none)",
                "$(s) != ''",
                "'' != $(s)",
                "'$(s)' != ''",
                "!($(s) == '')",
                "$(none) == ''",
                "$(none) == $(missing)",
                "$is_empty($(none))",
                "!$exists($(none))",
                "$(none|'x') == 'x'",
                "$exists($(HTTP_AUTHORIZATION))",
            })
    void existenceOfSecretsCanBeTested(String test) {
        var document = document();

        assertThat(document.test(test)).isTrue();
        assertThat(document.problems).isEmpty();
    }

    @Test
    void secretsAreNotKeysOfAssignments() {
        var document = document();

        document.scope.assign("dict", document.evaluate("$(s)"), document.evaluate("2"));

        assertThat(document.value("$(dict{'42'})")).isEqualTo("1");
        assertThat(document.problems).hasSize(1);
    }

    @Test
    void secretsAreNotJoinedWithContent() {
        var document = document();

        var joined =
                document.scope.joined(List.of(document.evaluate("'0'"), document.evaluate("$(s)")));

        assertThat(joined).isInstanceOf(Value.Null.class);
        assertThat(document.problems).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PHPSESSID",
                "SESSION",
                "ASP.NET_SessionId",
                "connect.sid",
                "my_sess",
                "id-jwt",
                "esi-variant",
                "JSESSIONID",
                "csrf_token",
                "XSRF-TOKEN",
                "oauth",
                "remember-me"
            })
    void identifiersOfSessionsAreDeniedByDefault(String cookie) {
        var document = TestDocument.of("/", "Cookie", cookie + "=v");

        assertThat(document.written("[$(HTTP_COOKIE{'" + cookie + "'})]")).isEqualTo("[]");
        assertThat(document.test("$exists($(HTTP_COOKIE{'" + cookie + "'}))")).isTrue();
    }
}
